//! Where a row of the pages is, and how to get from one to another by laying out only the items between.

use super::pages::{ItemFold, Pages};
use crate::{
    paint::{cut_line, line_columns},
    theme::Theme,
};
use ratatui::text::Line;
use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::Arc,
};

/// Items that are kept laid out.
const MAX_KEPT_ITEMS: usize = 512;

/// A row: which item, and which of its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowPosition {
    pub(super) item: usize,
    pub(super) row: usize,
}

/// The items as far as they were needed at this width.
pub(super) struct PagerLayout {
    pub(super) pages: Box<dyn Pages>,
    drawn_for: Option<(u16, Theme)>,
    kept: HashMap<usize, Arc<Vec<Line<'static>>>>,
    /// Items that are not folded as the rest is.
    turned: BTreeSet<usize>,
    default_fold: ItemFold,
}

impl fmt::Debug for PagerLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PagerLayout").field("items", &self.pages.count()).field("kept", &self.kept.len()).finish()
    }
}

impl PagerLayout {
    pub(super) fn new(pages: Box<dyn Pages>) -> PagerLayout {
        PagerLayout {
            pages,
            drawn_for: None,
            kept: HashMap::new(),
            turned: BTreeSet::new(),
            default_fold: ItemFold::Closed,
        }
    }

    /// Takes another width; a place keeps its share of its item.
    pub(super) fn fit(&mut self, width: u16, theme: Theme, places: &mut [&mut RowPosition]) {
        if self.drawn_for == Some((width, theme)) {
            return;
        }
        let shares: Vec<(usize, usize)> = match self.drawn_for {
            Some(_) => places.iter().map(|place| (place.row, self.height(place.item))).collect(),
            None => Vec::new(),
        };
        self.drawn_for = Some((width, theme));
        self.kept.clear();
        for (place, (row, of)) in places.iter_mut().zip(shares) {
            place.row = row * self.height(place.item) / of.max(1);
        }
    }

    pub(super) fn rows(&mut self, item: usize) -> Arc<Vec<Line<'static>>> {
        if let Some(rows) = self.kept.get(&item) {
            return Arc::clone(rows);
        }
        let Some((width, theme)) = self.drawn_for else { return Arc::default() };
        if item >= self.pages.count() {
            return Arc::default();
        }
        let within = |line: Line<'static>| {
            if line_columns(&line) > usize::from(width) { cut_line(line, width, &theme) } else { line }
        };
        let lines = self.pages.lines(item, self.fold(item), width, &theme);
        let rows = Arc::new(lines.into_iter().map(within).collect::<Vec<_>>());
        if self.kept.len() >= MAX_KEPT_ITEMS {
            self.kept.clear();
        }
        self.kept.insert(item, Arc::clone(&rows));
        rows
    }

    pub(super) fn row(&mut self, place: RowPosition) -> Option<Line<'static>> {
        self.rows(place.item).get(place.row).cloned()
    }

    pub(super) fn height(&mut self, item: usize) -> usize {
        self.rows(item).len()
    }

    pub(super) fn fold(&self, item: usize) -> ItemFold {
        match (self.default_fold, self.turned.contains(&item)) {
            (ItemFold::Closed, false) | (ItemFold::Open, true) => ItemFold::Closed,
            (ItemFold::Open, false) | (ItemFold::Closed, true) => ItemFold::Open,
        }
    }

    pub(super) fn turn(&mut self, item: usize) {
        if !self.turned.remove(&item) {
            self.turned.insert(item);
        }
        self.kept.remove(&item);
    }

    /// Opens all, or closes all if all are open.
    pub(super) fn turn_all(&mut self) {
        self.default_fold = match self.default_fold {
            ItemFold::Closed => ItemFold::Open,
            ItemFold::Open => ItemFold::Closed,
        };
        self.turned.clear();
        self.kept.clear();
    }

    /// The nearest row there is.
    pub(super) fn nearest(&mut self, place: RowPosition) -> RowPosition {
        let item = place.item.min(self.pages.count().saturating_sub(1));
        let height = self.height(item);
        if height == 0 {
            let next = self.next_item(item).or_else(|| self.previous_item(item));
            return next.map_or(RowPosition::default(), |item| RowPosition { item, row: 0 });
        }
        RowPosition { item, row: place.row.min(height - 1) }
    }

    pub(super) fn last(&mut self) -> RowPosition {
        let count = self.pages.count();
        let item = self.previous_item(count).unwrap_or(0);
        RowPosition { item, row: self.height(item).saturating_sub(1) }
    }

    /// So many rows further down, or the last one.
    pub(super) fn down(&mut self, from: RowPosition, rows: usize) -> RowPosition {
        let mut place = self.nearest(from);
        let mut left = rows;
        loop {
            let below = self.height(place.item).saturating_sub(place.row + 1);
            if left <= below {
                return RowPosition { row: place.row + left, ..place };
            }
            let Some(item) = self.next_item(place.item) else { return RowPosition { row: place.row + below, ..place } };
            left -= below + 1;
            place = RowPosition { item, row: 0 };
        }
    }

    /// So many rows further up, or the first one.
    pub(super) fn up(&mut self, from: RowPosition, rows: usize) -> RowPosition {
        let mut place = self.nearest(from);
        let mut left = rows;
        loop {
            if left <= place.row {
                return RowPosition { row: place.row - left, ..place };
            }
            let Some(item) = self.previous_item(place.item) else { return RowPosition { row: 0, ..place } };
            left -= place.row + 1;
            place = RowPosition { item, row: self.height(item).saturating_sub(1) };
        }
    }

    /// The next item that has a row.
    pub(super) fn next_item(&mut self, item: usize) -> Option<usize> {
        (item.saturating_add(1)..self.pages.count()).find(|item| self.height(*item) > 0)
    }

    pub(super) fn previous_item(&mut self, item: usize) -> Option<usize> {
        (0..item.min(self.pages.count())).rev().find(|item| self.height(*item) > 0)
    }
}
