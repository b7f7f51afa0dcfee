//! What models, files and names may contain: nothing of it steers the terminal or passes for a part of ours.
