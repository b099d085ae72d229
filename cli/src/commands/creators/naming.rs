use crate::contract::Plan;
use crate::db::{Db, Row, row};
use crate::error::CliError;
use crate::hygiene::squash;
use crate::model::not_found;
use serde_json::{Value, json};

/// A name as typed: `Family` alone, or `Family, Given`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    family: String,
    given: Option<String>,
}

/// A creator as stored: a person, or an institution by its literal name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Creator {
    pub(crate) id: i64,
    pub(crate) family: String,
    pub(crate) given: String,
    pub(crate) literal: String,
}

impl Name {
    /// Parses a name as typed.
    pub(crate) fn parse(text: &str) -> Result<Self, CliError> {
        let (family, given) = match text.split_once(',') {
            Some((family, given)) => (squash(family), Some(squash(given))),
            None => (squash(text), None),
        };
        if family.is_empty() {
            return Err(CliError::usage(format!("{text:?} has no family name"))
                .hint("write `Family` for everybody of that name, or `Family, Given` for one person"));
        }
        Ok(Self { family, given })
    }

    /// Finds the creators who bear this name.
    pub(crate) fn matching(&self, db: &Db) -> Result<Vec<Creator>, CliError> {
        let all = all_creators(db)?;
        let found: Vec<Creator> = all.iter().filter(|creator| self.fits(creator)).cloned().collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let names = all.iter().map(Creator::display);
        let families = all.iter().map(|creator| creator.family.clone()).filter(|_| self.given.is_none());
        let known: Vec<String> = names.chain(families).collect();
        Err(not_found("creator", &self.display(), &known.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    /// The creator that results when `from` is replaced by this name.
    pub(crate) fn applied_to(&self, from: &Name, creator: &Creator) -> Result<Creator, CliError> {
        let mut renamed = Creator { id: 0, ..creator.clone() };
        if !creator.literal.is_empty() {
            renamed.literal = self.display();
            return Ok(renamed);
        }
        renamed.family.clone_from(&self.family);
        match (&from.given, &self.given) {
            (_, Some(given)) if from.given.is_some() || creator.given.is_empty() => renamed.given.clone_from(given),
            (None, Some(_)) => {
                return Err(CliError::usage(format!("{:?} is a family name, {:?} is one person", from.family, self.display()))
                    .hint(format!("name the one to rename in full: {:?}", creator.display())));
            }
            _ => {}
        }
        Ok(renamed)
    }

    fn fits(&self, creator: &Creator) -> bool {
        if !creator.literal.is_empty() {
            return creator.literal == self.display();
        }
        creator.family == self.family && self.given.as_ref().is_none_or(|given| *given == creator.given)
    }

    fn display(&self) -> String {
        match &self.given {
            Some(given) if !given.is_empty() => format!("{}, {given}", self.family),
            _ => self.family.clone(),
        }
    }
}

impl Creator {
    /// The creator of a row of the table.
    pub(crate) fn of(row: &Row) -> Self {
        let text = |column: &str| row[column].as_str().unwrap_or_default().to_owned();
        let id = row["id"].as_i64().unwrap_or_default();
        Self { id, family: text("family"), given: text("given"), literal: text("literal") }
    }

    /// Writes the name with the family name first.
    pub(crate) fn display(&self) -> String {
        match (self.literal.as_str(), self.given.as_str()) {
            ("", "") => self.family.clone(),
            ("", given) => format!("{}, {given}", self.family),
            (literal, _) => literal.to_owned(),
        }
    }

    fn columns(&self) -> [(&'static str, Value); 3] {
        [("family", json!(self.family)), ("given", json!(self.given)), ("literal", json!(self.literal))]
    }
}

/// Reads all creators, by name.
pub(crate) fn all_creators(db: &Db) -> Result<Vec<Creator>, CliError> {
    let rows = db.query("SELECT id, family, given, literal FROM creators ORDER BY family || literal, given, id", &[])?;
    Ok(rows.iter().map(Creator::of).collect())
}

/// Plans that a creator bears another name, wherever they have the role; two who become one are joined.
pub(crate) fn change_creator(plan: &mut Plan, from: &Creator, to: &Creator, role: Option<&str>) -> Result<(), CliError> {
    if from.display() == to.display() {
        return Ok(());
    }
    let links = plan.find_all("item_creators", &[("creator_id", json!(from.id))])?;
    let stays = |link: &Row| role.is_some_and(|role| link["role"] != json!(role));
    let existing = plan.find("creators", &to.columns())?;
    let moved = links.iter().filter(|link| !stays(link)).count();
    if existing.is_none() && moved == links.len() {
        return plan.update("creators", from.id, row(to.columns()));
    }
    if moved == 0 {
        return Ok(());
    }
    plan.change("name", json!(from.display()), json!(to.display()));
    let target = match existing {
        Some(existing) => existing["id"].as_i64().unwrap_or_default(),
        None => plan.link("creators", row(to.columns()))?,
    };
    for link in links.iter().filter(|link| !stays(link)) {
        let id = link["id"].as_i64().unwrap_or_default();
        let same = [("item_id", link["item_id"].clone()), ("role", link["role"].clone()), ("creator_id", json!(target))];
        match plan.find("item_creators", &same)? {
            Some(_) => plan.unlink("item_creators", id)?,
            None => plan.update("item_creators", id, row([("creator_id", json!(target))]))?,
        }
    }
    if moved == links.len() { plan.unlink("creators", from.id) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn creator(family: &str, given: &str) -> Creator {
        Creator { id: 1, family: family.into(), given: given.into(), literal: String::new() }
    }

    #[test]
    fn names_are_replaced_as_they_were_typed() {
        for (from, to, before, after) in [
            ("Mueller", "Müller", creator("Mueller", "Anna"), Some("Müller, Anna")),
            ("Knuth, D.", "Knuth, Donald E.", creator("Knuth", "D."), Some("Knuth, Donald E.")),
            ("Knuth, D.", "Knut", creator("Knuth", "D."), Some("Knut, D.")),
            ("Mueller", "Müller, Anna", creator("Mueller", "Bert"), None),
            ("Plato", "Aristocles, P.", creator("Plato", ""), Some("Aristocles, P.")),
        ] {
            let (from, to) = (Name::parse(from).unwrap(), Name::parse(to).unwrap());
            assert!(from.fits(&before));
            assert_eq!(to.applied_to(&from, &before).ok().map(|c| c.display()).as_deref(), after);
        }
    }

    #[test]
    fn institutions_go_by_their_whole_name() {
        let who = Creator { literal: "World Health Organization".into(), ..creator("", "") };
        let from = Name::parse("World Health Organization").unwrap();
        let to = Name::parse("WHO").unwrap();
        assert!(from.fits(&who));
        assert_eq!(to.applied_to(&from, &who).unwrap().literal, "WHO");
    }

    #[test]
    fn a_name_has_a_family_name() {
        for text in ["", " ", ", Anna"] {
            assert!(Name::parse(text).is_err(), "{text:?}");
        }
    }
}
