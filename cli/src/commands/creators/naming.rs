use crate::contract::Plan;
use crate::db::{Db, Row, row};
use crate::error::CliError;
use crate::model::squash;
use crate::model::{Creator, ensure_creator, not_found};
use serde_json::json;

/// A name as typed: `Family` alone, or `Family, Given`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    family: String,
    given: Option<String>,
}

/// A creator of the library; the role says nothing here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) id: i64,
    pub(crate) creator: Creator,
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
    pub(crate) fn matching(&self, db: &Db) -> Result<Vec<Stored>, CliError> {
        let all = all_creators(db)?;
        let found: Vec<Stored> = all.iter().filter(|stored| self.fits(&stored.creator)).cloned().collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let names = all.iter().map(|stored| stored.creator.name());
        let families = all.iter().map(|stored| stored.creator.family.clone()).filter(|_| self.given.is_none());
        let known: Vec<String> = names.chain(families).collect();
        Err(not_found("creator", &self.display(), &known.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    /// The creator that results when `from` is replaced by this name.
    pub(crate) fn applied_to(&self, from: &Name, creator: &Creator) -> Result<Creator, CliError> {
        let mut renamed = creator.clone();
        if !creator.literal.is_empty() {
            renamed.literal = self.display();
            return Ok(renamed);
        }
        renamed.family.clone_from(&self.family);
        match (&from.given, &self.given) {
            (_, Some(given)) if from.given.is_some() || creator.given.is_empty() => renamed.given.clone_from(given),
            (None, Some(_)) => {
                return Err(CliError::usage(format!(
                    "{:?} is a family name, {:?} is one person",
                    from.family,
                    self.display()
                ))
                .hint(format!("name the one to rename in full: {:?}", creator.name())));
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

impl Stored {
    /// The creator of a row of the table.
    pub(crate) fn of(row: &Row) -> Self {
        let text = |column: &str| row[column].as_str().unwrap_or_default().to_owned();
        let creator =
            Creator { role: String::new(), family: text("family"), given: text("given"), literal: text("literal") };
        Self { id: row["id"].as_i64().unwrap_or_default(), creator }
    }
}

/// Reads all creators, by name.
fn all_creators(db: &Db) -> Result<Vec<Stored>, CliError> {
    let rows =
        db.query("SELECT id, family, given, literal FROM creators ORDER BY family || literal, given, id", &[])?;
    Ok(rows.iter().map(Stored::of).collect())
}

/// Plans that a creator bears another name, wherever they have the role; two who become one are joined.
pub(crate) fn change_creator(plan: &mut Plan, from: &Stored, to: &Creator, role: Option<&str>) -> Result<(), CliError> {
    if from.creator.name() == to.name() {
        return Ok(());
    }
    let links = plan.find_all("item_creators", &[("creator_id", json!(from.id))])?;
    let (moved, stay): (Vec<Row>, Vec<Row>) =
        links.into_iter().partition(|link| role.is_none_or(|role| link["role"] == json!(role)));
    let columns = [("family", json!(to.family)), ("given", json!(to.given)), ("literal", json!(to.literal))];
    if stay.is_empty() && plan.find("creators", &columns)?.is_none() {
        return plan.update("creators", from.id, row(columns));
    }
    if moved.is_empty() {
        return Ok(());
    }
    plan.change("name", json!(from.creator.name()), json!(to.name()));
    let target = ensure_creator(plan, to)?;
    for link in moved {
        let id = link["id"].as_i64().unwrap_or_default();
        let same =
            [("item_id", link["item_id"].clone()), ("role", link["role"].clone()), ("creator_id", json!(target))];
        match plan.find("item_creators", &same)? {
            Some(_) => plan.unlink("item_creators", id)?,
            None => plan.update("item_creators", id, row([("creator_id", json!(target))]))?,
        }
    }
    if stay.is_empty() { plan.unlink("creators", from.id) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn creator(family: &str, given: &str) -> Creator {
        Creator { role: String::new(), family: family.into(), given: given.into(), literal: String::new() }
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
            assert_eq!(to.applied_to(&from, &before).ok().map(|c| c.name()).as_deref(), after);
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
