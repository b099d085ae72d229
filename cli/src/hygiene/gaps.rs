use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Something an item of a collection can have and its siblings can't do without.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "name")]
pub enum Aspect {
    /// A filled field.
    Field(String),
    /// An attached PDF.
    Pdf,
    /// At least one tag.
    Tags,
    /// One certain tag.
    Tag(String),
}

/// A member of a collection and what it has.
#[derive(Clone, Debug)]
pub struct Member {
    /// The citation key.
    pub key: String,
    /// The item type: fields are only compared within one.
    pub item_type: String,
    /// What the item has.
    pub has: BTreeSet<Aspect>,
}

/// What siblings have and one or more members lack.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// What is lacking.
    #[serde(flatten)]
    pub aspect: Aspect,
    /// The item type it is compared within; none for PDFs and tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_type: Option<String>,
    /// Share of the siblings that have it, 0 to 1.
    pub share: f64,
    /// Keys of the members without it.
    pub lacking: Vec<String>,
}

/// How many siblings must have something before its absence is a gap.
#[derive(Clone, Copy, Debug)]
pub struct Siblings {
    /// Least share that must have it, 0 to 1.
    pub share: f64,
    /// Least number that must have it.
    pub least: usize,
}

/// Finds what members lack that their siblings have, most widespread first.
pub fn gaps(members: &[Member], siblings: Siblings) -> Vec<Gap> {
    let mut pools: BTreeMap<Option<&str>, Vec<&Member>> = BTreeMap::new();
    for member in members {
        pools.entry(None).or_default().push(member);
        pools.entry(Some(&member.item_type)).or_default().push(member);
    }
    let mut found = Vec::new();
    for (item_type, pool) in pools {
        let aspects: BTreeSet<&Aspect> = pool.iter().flat_map(|m| &m.has).collect();
        for aspect in aspects {
            if matches!(aspect, Aspect::Field(_)) != item_type.is_some() {
                continue;
            }
            let lacking: Vec<String> = pool.iter().filter(|m| !m.has.contains(aspect)).map(|m| m.key.clone()).collect();
            let having = pool.len() - lacking.len();
            let share = having as f64 / pool.len() as f64;
            if !lacking.is_empty() && having >= siblings.least && share >= siblings.share {
                let share = (share * 100.0).round() / 100.0;
                found.push(Gap { aspect: aspect.clone(), item_type: item_type.map(Into::into), share, lacking });
            }
        }
    }
    found.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.aspect.cmp(&b.aspect)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(key: &str, item_type: &str, has: &[Aspect]) -> Member {
        Member { key: key.into(), item_type: item_type.into(), has: has.iter().cloned().collect() }
    }

    const HALF: Siblings = Siblings { share: 0.5, least: 2 };

    #[test]
    fn a_member_lacks_what_most_siblings_have() {
        let (doi, pages) = (Aspect::Field("doi".into()), Aspect::Field("pages".into()));
        let members = [
            member("a", "article", &[doi.clone(), pages.clone(), Aspect::Pdf]),
            member("b", "article", &[doi.clone(), Aspect::Pdf]),
            member("c", "article", &[]),
        ];
        let found = gaps(&members, HALF);
        let brief: Vec<_> = found.iter().map(|g| (&g.aspect, g.share, g.lacking.join(","))).collect();
        assert_eq!(brief, [(&doi, 0.67, "c".to_owned()), (&Aspect::Pdf, 0.67, "c".to_owned())]);
    }

    #[test]
    fn fields_are_compared_within_a_type_and_pdfs_across_all() {
        let doi = Aspect::Field("doi".into());
        let members = [
            member("a", "article", &[doi.clone(), Aspect::Pdf]),
            member("b", "article", &[doi, Aspect::Pdf]),
            member("book", "book", &[]),
        ];
        let found = gaps(&members, HALF);
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].aspect, &found[0].lacking[0]), (&Aspect::Pdf, &"book".to_owned()));
    }

    #[test]
    fn one_sibling_is_no_custom() {
        let members = [member("a", "book", &[Aspect::Pdf]), member("b", "book", &[])];
        assert_eq!(gaps(&members, HALF), []);
    }
}
