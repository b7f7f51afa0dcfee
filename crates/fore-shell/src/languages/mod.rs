//! The small languages inside arguments: sed, awk, find, jq.
