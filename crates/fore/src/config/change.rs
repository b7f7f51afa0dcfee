//! `fore config set` and `fore config unset`: one value of the person's own settings. Comments and order stay, and nothing is written that
//! would not be understood.

use crate::{
    environment,
    settings::{Settings, with_value, without_value},
};
use anyhow::{Context as _, bail};
use fore_store::{Home, own_settings};
use serde_json::{Value, json};

/// Puts a value into the person's own settings, and says so. Words that are no JSON are a text.
pub(super) fn set(key: &str, written: &str) -> anyhow::Result<String> {
    let value: Value = serde_json::from_str(written).unwrap_or_else(|_| Value::from(written));
    let path = path_of(key)?;
    let alone = path.iter().rev().fold(value.clone(), |inside, name| json!({ *name: inside }));
    // Read as it would be from a file, so that a mistake is said as it would be there.
    let folder = environment::current_folder()?;
    Settings::load(&folder, Some(&alone.to_string())).with_context(|| format!("nothing was changed: {key}"))?;
    change(|text| with_value(text, &path, &value))?;
    let place = own_settings::path(&environment::own_home()?);
    Ok(format!("{key} is {value} in your settings now: {}", place.display()))
}

/// Takes a value out of them, and says so.
pub(super) fn unset(key: &str) -> anyhow::Result<String> {
    let path = path_of(key)?;
    change(|text| without_value(text, &path))?;
    let place = own_settings::path(&environment::own_home()?);
    Ok(format!("{key} is no longer set in {}", place.display()))
}

fn path_of(key: &str) -> anyhow::Result<Vec<&str>> {
    let path: Vec<&str> = key.split('.').collect();
    if path.iter().any(|name| name.is_empty()) {
        bail!("`{key}` is not a setting; `fore config` lists all of them");
    }
    Ok(path)
}

/// Writes the person's own settings anew.
fn change(changed: impl Fn(&str) -> Result<String, String>) -> anyhow::Result<()> {
    let home: Home = environment::own_home()?;
    let text = own_settings::read(&home)?.unwrap_or_default();
    match changed(&text) {
        Ok(text) => Ok(own_settings::write(&home, &text)?),
        Err(why) => bail!("the settings in {} cannot be changed: {why}", own_settings::path(&home).display()),
    }
}
