import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { createOptionsSchema } from '../base/flags.ts'
import { assertOutputWritable, withOutput } from '../base/output-file.ts'

const exportFormats = ['dts'] as const
const options = createOptionsSchema({
  format: z.enum(exportFormats).optional(),
  output: z.string().optional(),
  force: z.boolean().optional(),
})

async function run(
  { io, resources }: CommandContext,
  _args: readonly string[],
  exportOptions: z.infer<typeof options>,
): Promise<CommandExit> {
  assertOutputWritable(exportOptions)
  const types = readFileSync(new URL('bridge.d.ts', resources), 'utf8')
  await withOutput(io, exportOptions, (print) => print(types))
  return 'ok'
}

/** What the contract says, without a host. */
export const contractCommand = defineCommand({
  name: 'contract',
  summary: 'Write the contract as type declarations, for the code of a panel',
  description: [
    'dts: TypeScript declarations of every route: parameters, body, response and error codes. With them, host.api<"GET /study-sets/{topicid}/note-palette"> is checked. What the contract does not show is unknown. The npm package has the same file as bridge-inspector/bridge.',
  ],
  args: [{ name: 'action', required: true, choices: ['export'], description: 'what is done with the contract' }],
  flags: [
    { name: 'format', valueName: 'FORMAT', choices: exportFormats, description: 'what is written (default dts)' },
    { name: 'output', short: 'o', valueName: 'FILE', description: 'into this file' },
    { name: 'force', description: 'replaces the file if it exists' },
  ],
  examples: [{ commandLine: 'contract export --format dts -o bridge.d.ts', description: 'beside the code of a panel' }],
  options,
  run,
})
