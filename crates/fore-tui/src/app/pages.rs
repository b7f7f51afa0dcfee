//! The conversation as pages of the full-screen viewer: what is folded in the scrollback opens here.

use crate::{
    dialogs::pager::{ItemFold as Folded, Pages},
    story::{BlockFold, StoryBlock},
    theme::{Colours, Signs, Theme},
};
use ratatui::text::Line;
use std::{borrow::Cow, sync::Arc};

/// Blocks, and an empty line between them.
#[derive(Debug)]
pub(super) struct StoryPages {
    blocks: Vec<Arc<StoryBlock>>,
}

impl StoryPages {
    pub(super) fn new(blocks: Vec<Arc<StoryBlock>>) -> StoryPages {
        StoryPages { blocks }
    }
}

impl Pages for StoryPages {
    fn count(&self) -> usize {
        self.blocks.len()
    }

    fn lines(&self, item: usize, fold: Folded, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let Some(block) = self.blocks.get(item) else { return Vec::new() };
        let fold = match fold {
            Folded::Closed => BlockFold::Closed,
            Folded::Open => BlockFold::Open,
        };
        let mut lines = block.lines(fold, width, theme);
        if item + 1 < self.blocks.len() {
            lines.push(Line::default());
        }
        lines
    }

    fn opens(&self, item: usize) -> bool {
        self.blocks.get(item).is_some_and(|block| match &**block {
            StoryBlock::Call(_)
            | StoryBlock::Typed(_)
            | StoryBlock::Agent(_)
            | StoryBlock::Thought { .. }
            | StoryBlock::Decided(_) => true,
            StoryBlock::Welcome(_)
            | StoryBlock::Prompt { .. }
            | StoryBlock::Said { .. }
            | StoryBlock::Notice { .. }
            | StoryBlock::Mode(_)
            | StoryBlock::Model { .. }
            | StoryBlock::Implement { .. }
            | StoryBlock::CurrentPlan(_)
            | StoryBlock::Todos { .. }
            | StoryBlock::ContextCut { .. }
            | StoryBlock::Ended { .. }
            | StoryBlock::Page { .. } => false,
        })
    }

    fn has_folds(&self) -> bool {
        true
    }

    fn text(&self, item: usize) -> Cow<'_, str> {
        /// Wide enough that no word is parted by a line break.
        const WIDE: u16 = 2_000;
        let theme =
            Theme { colours: Colours::Nothing, background: crate::theme::Background::Dark, signs: Signs::Unicode };
        let lines = self.blocks.get(item).map(|block| block.lines(BlockFold::Open, WIDE, &theme)).unwrap_or_default();
        let rows = lines.iter().map(|line| line.spans.iter().map(|span| span.content.as_ref()).collect::<String>());
        Cow::Owned(rows.collect::<Vec<_>>().join("\n"))
    }
}
