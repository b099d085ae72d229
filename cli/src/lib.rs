//! mycli
