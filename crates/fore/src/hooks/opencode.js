// Written by `fore hooks install`; `fore hooks uninstall opencode` takes it away.
// Asks `fore gate` before each call: what it refuses in the mode of the agent is not run.
import { spawnSync } from "node:child_process"

const COMMAND = FORE

export const Forethought = async ({ directory }) => {
  const agents = new Map()
  return {
    "chat.message": async (input) => {
      if (input.agent) agents.set(input.sessionID, input.agent)
    },
    "tool.execute.before": async (input, output) => {
      const call = {
        hook_event_name: "PreToolUse",
        tool_name: input.tool,
        tool_input: output.args,
        cwd: directory,
        permission_mode: agents.get(input.sessionID) === "plan" ? "plan" : "default",
      }
      const asked = spawnSync("sh", ["-c", COMMAND], { input: JSON.stringify(call), encoding: "utf8", timeout: 30000 })
      if (asked.status !== 0) throw new Error(asked.stderr || "fore gate did not answer")
      const answer = asked.stdout.trim() ? JSON.parse(asked.stdout) : {}
      if (answer.refused) throw new Error(answer.refused)
      if (answer.command) output.args.command = answer.command
    },
  }
}
