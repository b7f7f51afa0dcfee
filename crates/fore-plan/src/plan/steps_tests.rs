//! Plans and the steps in them.

use super::*;

fn page(text: &str) -> Vec<String> {
    steps(text)
        .iter()
        .map(|step| format!("{} {} {}-{}", step.number, step.title, step.first_line, step.last_line))
        .collect()
}

#[test]
fn m6_numbered_items_are_steps_with_all_that_belongs_to_them() {
    let plan = "# Faster login\n\n1. Add an index\n   in `users.rs`\n\n   ```sh\n2. not a step\n   ```\n2) Use it\n- in login\n\nSo much for that.\n";
    assert_eq!(page(plan), ["1 Add an index 3-8", "2 Use it 9-10"]);
}

#[test]
fn m6_task_lists_are_steps_and_dashes_alone_are_none() {
    let plan = "## Change\n- [ ] Add an index\n  - [ ] with a test\n* [x] Use it\n\n## Verify\n- run the tests\n";
    assert_eq!(page(plan), ["1 Add an index 2-3", "2 Use it 4-4"]);
    assert_eq!(page("- one\n- two\n"), Vec::<String>::new());
}

#[test]
fn m6_task_headings_come_before_the_items_below_them() {
    let plan = "# Plan\n\n## Steps\n\n### Task 1: Index\n1. Add it\n2. Test it\n\n### Task 2: Login\n- [ ] Use it\n\n## Verify\n1. Run all tests\n";
    assert_eq!(page(plan), ["1 Task 1: Index 5-7", "2 Task 2: Login 9-10"]);
    assert_eq!(page("## 1. Index\ntext\n## 2. Login\n"), ["1 1. Index 1-2", "2 2. Login 3-3"]);
    assert_eq!(page("## Step by step\n1. One\n"), ["1 One 2-2"], "a heading that only talks of steps is none");
    assert_eq!(
        page("## Task 1: all of it\n1. One\n2. Two\n"),
        ["1 One 2-2", "2 Two 3-3"],
        "one task is the whole plan"
    );
}

#[test]
fn m6_some_steps_are_the_plan_without_the_others_which_are_named() {
    let plan = "# Login\n\n1. Index\n   more\n2. Use it\n3. Deploy\n\n## Verify\n- look\n";
    let expected = format!(
        "# Login\n\n2. Use it\n\n## Verify\n- look\n\n{}\n\n- Index\n- Deploy\n",
        include_str!("not-approved.md").trim_end()
    );
    assert_eq!(only_steps(plan, &[2]), Some(expected));
    assert_eq!(only_steps(plan, &[3, 1, 2, 2]).as_deref(), Some(plan), "all of them are the plan as it is");
    for wrong in [&[][..], &[4], &[1, 0]] {
        assert_eq!(only_steps(plan, wrong), None, "{wrong:?}");
    }
    assert_eq!(only_steps("# No steps\n", &[1]), None);
}

#[test]
fn m6_no_step_hides_behind_what_only_looks_like_a_code_block() {
    let plan = "1. Run it\n   ``` `x` ```\n2. Delete the backups\n3. Look\n";
    assert_eq!(page(plan), ["1 Run it 1-2", "2 Delete the backups 3-3", "3 Look 4-4"]);
}

#[test]
fn m6_what_was_not_approved_stands_in_no_code_block_of_the_plan() {
    let plan = "1. Index\n2. Deploy\n\n## Verify\n~~~~sh\ncargo test\n";
    let expected = format!(
        "1. Index\n\n## Verify\n~~~~sh\ncargo test\n~~~~\n\n{}\n\n- Deploy\n",
        include_str!("not-approved.md").trim_end()
    );
    assert_eq!(only_steps(plan, &[1]), Some(expected));
}

#[test]
fn m6_steps_that_are_too_many_belong_to_the_last_one_and_are_left_out_with_it() {
    let plan: String = (1..=MAX_STEPS + 50).map(|number| format!("{number}. Step {number}\n")).collect();
    let all = steps(&plan);
    assert_eq!((all.len(), all.last().map(|step| step.last_line)), (MAX_STEPS, Some(250)));
    let kept = only_steps(&plan, &[1]).unwrap();
    assert!(!kept.contains("Step 201") && kept.contains("- Step 200\n"), "{kept}");
}

proptest::proptest! {
    #[test]
    fn m6_every_text_has_steps_in_order_and_what_is_kept_is_its_own(text in "(#{1,4} |[0-9]{1,3}[.)] |- \\[[ x]\\] |```|  |\\n|Task 1|\\PC){0,60}") {
        let all = steps(&text);
        let lines = u32::try_from(text.lines().count()).unwrap();
        let mut before = 0;
        for (step, number) in all.iter().zip(1..) {
            assert!(step.number == number && step.first_line > before && step.last_line >= step.first_line, "{step:?}");
            assert!(step.last_line <= lines, "{step:?} of {lines}");
            before = step.last_line;
        }
        if let Some(first) = all.first() {
            let kept = only_steps(&text, &[first.number]).unwrap();
            let line = |text: &str| text.lines().nth(first.first_line as usize - 1).map(|line| line.trim_end().to_owned());
            assert_eq!(line(&kept), line(&text));
        }
    }
}
