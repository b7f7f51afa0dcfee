//! What NotebookEdit does to notebooks, through the real gate.

use super::NotebookEdit;
use crate::tools::{Read, Tool, test_support::Workplace};
use serde_json::{Value, json};

const SALES: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {"mine": 1.50},
   "source": [
    "# Sales\n",
    "by month"
   ]
  },
  {
   "id": "a1",
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {},
   "own_field": {"b": 1, "a": 2e10},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": ["hi\n"]
    }
   ],
   "source": "plot()"
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn shop(notebook: &str) -> Workplace {
    let place = Workplace::with(&[("sales.ipynb", notebook)]);
    place.told(&Read, json!({"file_path": "sales.ipynb"}));
    place
}

fn call(more: Value) -> Value {
    let mut input = json!({"notebook_path": "sales.ipynb"});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

#[test]
fn a_replaced_code_cell_loses_its_outputs_and_nothing_else_changes() {
    let place = shop(SALES);
    let input = call(json!({"cell_id": "a1", "new_source": "plot(\"ä\")\nshow()"}));
    assert_eq!(place.told(&NotebookEdit, input), "Cell 1 of /t/shop/sales.ipynb was replaced.");
    let outputs = "[\n    {\n     \"name\": \"stdout\",\n     \"output_type\": \"stream\",\n     \"text\": [\"hi\\n\"]\n    }\n   ]";
    let expected = SALES
        .replace("\"execution_count\": 3", "\"execution_count\": null")
        .replace(outputs, "[]")
        .replace("\"plot()\"", "[\n    \"plot(\\\"ä\\\")\\n\",\n    \"show()\"\n   ]");
    assert_eq!(place.get("sales.ipynb"), expected);
}

#[test]
fn a_cell_may_change_its_type_and_is_found_by_its_number() {
    let place = shop(SALES);
    place.told(&NotebookEdit, call(json!({"cell_id": "1", "new_source": "words", "cell_type": "markdown"})));
    place.told(&NotebookEdit, call(json!({"cell_id": 0, "new_source": "", "cell_type": "code"})));
    let notebook: Value = serde_json::from_str(&place.get("sales.ipynb")).unwrap();
    assert_eq!(
        notebook["cells"],
        json!([
            {"cell_type": "code", "id": "intro", "metadata": {"mine": 1.5}, "source": [], "execution_count": null, "outputs": []},
            {"cell_type": "markdown", "id": "a1", "metadata": {}, "own_field": {"a": 2e10, "b": 1}, "source": ["words"]}
        ])
    );
}

#[test]
fn a_cell_is_inserted_after_the_named_one_or_at_the_top() {
    let place = shop(SALES);
    place.told(
        &NotebookEdit,
        call(json!({"edit_mode": "insert", "cell_id": "intro", "new_source": "x = 1\n", "cell_type": "code"})),
    );
    place.told(&NotebookEdit, call(json!({"edit_mode": "insert", "new_source": "top", "cell_type": "markdown"})));
    let text = place.get("sales.ipynb");
    let notebook: Value = serde_json::from_str(&text).unwrap();
    let cells = notebook["cells"].as_array().unwrap();
    let order: Vec<&Value> = cells.iter().map(|cell| &cell["source"]).collect();
    assert_eq!(order, [&json!(["top"]), &json!(["# Sales\n", "by month"]), &json!(["x = 1\n"]), &json!("plot()")]);
    let ids: std::collections::HashSet<&str> = cells.iter().filter_map(|cell| cell["id"].as_str()).collect();
    assert_eq!(ids.len(), 4);
    let id = cells[0]["id"].as_str().unwrap();
    let top = format!(
        "{{\n \"cells\": [\n  {{\n   \"cell_type\": \"markdown\",\n   \"id\": \"{id}\",\n   \"metadata\": {{}},\n   \"source\": [\n    \"top\"\n   ]\n  }},\n  {{\n   \"cell_type\": \"markdown\",\n   \"id\": \"intro\""
    );
    assert!(text.starts_with(&top), "{text}");
}

#[test]
fn cells_are_deleted_down_to_the_last_and_an_empty_notebook_is_filled_again() {
    let place = shop(SALES);
    let delete = |cell: &str| call(json!({"edit_mode": "delete", "cell_id": cell}));
    assert_eq!(place.told(&NotebookEdit, delete("a1")), "Cell 1 of /t/shop/sales.ipynb was deleted.");
    assert!(place.get("sales.ipynb").contains("   ]\n  }\n ],\n \"metadata\""));
    place.told(&NotebookEdit, delete("intro"));
    assert_eq!(
        place.get("sales.ipynb"),
        "{\n \"cells\": [],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"
    );
    place.told(&NotebookEdit, call(json!({"edit_mode": "insert", "new_source": "1", "cell_type": "raw"})));
    assert!(place.get("sales.ipynb").starts_with("{\n \"cells\": [\n  {\n   \"cell_type\": \"raw\","));
    let place = shop(SALES);
    place.told(&NotebookEdit, delete("0"));
    assert!(place.get("sales.ipynb").starts_with("{\n \"cells\": [\n  {\n   \"id\": \"a1\","));
}

#[test]
fn a_notebook_in_one_line_stays_in_one_line_and_an_old_one_gets_no_ids() {
    let place = shop(
        r#"{"nbformat":4,"nbformat_minor":2,"metadata":{},"cells":[{"cell_type":"raw","metadata":{},"source":[]}]}"#,
    );
    place.told(
        &NotebookEdit,
        call(json!({"edit_mode": "insert", "cell_id": "0", "new_source": "a\nb", "cell_type": "code"})),
    );
    assert_eq!(
        place.get("sales.ipynb"),
        r#"{"nbformat":4,"nbformat_minor":2,"metadata":{},"cells":[{"cell_type":"raw","metadata":{},"source":[]},{"cell_type":"code","execution_count":null,"metadata":{},"outputs":[],"source":["a\n","b"]}]}"#
    );
}

#[test]
fn what_is_wrong_is_said_and_nothing_changes() {
    let place = shop(&SALES.replace("\"a1\"", "\"intro\""));
    let page = [
        (json!({"cell_id": "zz", "new_source": ""}), "There is no cell `zz`; the notebook has 2 cells, from 0."),
        (json!({"cell_id": "9", "new_source": ""}), "There is no cell `9`; the notebook has 2 cells, from 0."),
        (
            json!({"cell_id": "intro", "new_source": ""}),
            "2 cells have the id `intro`; name the one you mean by its number.",
        ),
        (json!({"new_source": ""}), "`cell_id` is missing: the id or the number of the cell."),
        (json!({"cell_id": "0"}), "`new_source` is missing."),
        (
            json!({"edit_mode": "insert", "new_source": ""}),
            "`cell_type` is missing: a new cell is code, markdown or raw.",
        ),
        (
            json!({"edit_mode": "move", "cell_id": "0"}),
            "edit_mode `move` is not known; it is replace, insert or delete.",
        ),
        (
            json!({"cell_id": "0", "new_source": "", "cell_type": "html"}),
            "cell_type `html` is not known; it is code, markdown or raw.",
        ),
    ];
    for (more, why) in page {
        assert_eq!(place.trouble(&NotebookEdit, call(more)), why);
    }
    place.put("sales.ipynb", "[]");
    let input = call(json!({"cell_id": "0", "new_source": "x"}));
    assert_eq!(
        place.trouble(&NotebookEdit, input.clone()),
        "/t/shop/sales.ipynb has changed since you read it. Read it again, then change it."
    );
    place.told(&Read, json!({"file_path": "sales.ipynb"}));
    let why = place.trouble(&NotebookEdit, input);
    assert!(why.starts_with("/t/shop/sales.ipynb is not a valid notebook: "), "{why}");
    place.put("a.py", "x");
    assert_eq!(
        place.trouble(&NotebookEdit, json!({"notebook_path": "a.py", "cell_id": "0", "new_source": ""})),
        "/t/shop/a.py is not a notebook; use Edit."
    );
}

#[test]
fn g2_a_notebook_is_never_edited_while_planning() {
    let place = shop(SALES).planning();
    assert!(place.call(&NotebookEdit, call(json!({"cell_id": "a1", "new_source": "x"}))).is_err());
    assert_eq!(place.get("sales.ipynb"), SALES);
}

#[test]
fn people_see_which_cell() {
    let page = [
        (json!({"cell_id": "a1"}), "sales.ipynb, replace cell a1"),
        (json!({"cell_id": 2, "edit_mode": "delete"}), "sales.ipynb, delete cell 2"),
        (json!({"cell_id": "a1", "edit_mode": "insert"}), "sales.ipynb, insert after cell a1"),
        (json!({"edit_mode": "insert"}), "sales.ipynb, insert"),
    ];
    for (more, line) in page {
        assert_eq!(NotebookEdit.line(&call(more)), line);
    }
}
