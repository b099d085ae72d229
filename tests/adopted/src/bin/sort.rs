//! The CLI: `sort` of uutils, whose tree is made by its builder.

uucore::bin!(uu_sort);
