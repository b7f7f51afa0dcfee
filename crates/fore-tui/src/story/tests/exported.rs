//! A whole story as a document.

use super::{pages::story, told};

#[test]
fn a_session_is_exported_as_markdown() {
    insta::assert_snapshot!(told(&story()).export(), @"
    # Conversation

    - folder: `/projects/shop`
    - model: anthropic/claude-opus-5
    - mode: asks before each change

    > Mode default to plan, by you

    ## You

    Why is the login slow?
    Plan a fix.

    <details><summary>Thought</summary>

    The person wants a plan.
    I look first.

    </details>

    ## Forethought

    I will **look** at the login first.

    **Read** `src/login.rs`: 120 lines

    **Grep** `find_user`: 3 matches

    **Bash** `cargo test login`: failed: exit 101

    ```
    running 3 tests
    test a ... FAILED
        at src/login.rs
    b
    c
    d
    e
    ```

    **Bash** `rm -r target`: refused: Plan mode: `rm` deletes files. Put this step in the plan. [plan.shell-writes; rule rm]

    You ran **!** `git status --short`: exit 0

    ```
     M src/login.rs
    ```

    ## Plan approved (accept edits on, revision 2, c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577)

    > # Make the login fast
    >
    > 1. Add an index on `users.name`
    > 2. Use it in `find_user`
    >
    > ## Verify
    >
    > `cargo test login`

    **Edit** `src/login.rs`: src/login.rs: +1 −1

    ```diff
    --- src/login.rs
    +++ src/login.rs
    @@ -8,3 +8,3 @@
     fn find_user(name: &str) {
    -    users.iter().find(name)
    +    index.get(name)
     }
    ```

    > The level that came with the plan ends with it.

    - [x] Add the index
    - [ ] Use it
    ");
}
