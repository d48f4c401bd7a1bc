import { z } from 'zod'
import type { CommandContext, CommandExample, CommandExit } from '../../base/command.ts'
import { createOptionsSchema, hostFlags, outputFileOptions, type Flag } from '../../base/flags.ts'

export const contractOptions = createOptionsSchema({
  format: z.enum(['dts', 'openapi', 'json-schema', 'markdown']).optional(),
  examples: z.boolean().optional(),
  ...outputFileOptions,
  sarif: z.boolean().optional(),
  markdown: z.boolean().optional(),
  artifact: z.string().min(1).optional(),
  fail: z.boolean().optional(),
  observed: z.boolean().optional(),
})
export type ContractOptions = z.infer<typeof contractOptions>

/** Something that the command `contract` does. Flags of other actions are refused. */
export interface ContractAction {
  readonly name: string
  readonly description: string
  readonly flags: readonly Flag[]
  /** Also takes the flags that choose a host. */
  readonly hasHostFlags?: true
  readonly examples: readonly CommandExample[]
  run(context: CommandContext, args: readonly string[], options: ContractOptions): Promise<CommandExit>
}

/** Flags of every action that lists something; the help shows them once. */
export const reportFlags: readonly Flag[] = [
  { name: 'markdown', description: 'check, diff: print a Markdown table' },
  {
    name: 'fail',
    description: 'end with 11 if something deviates (check) or breaks callers (diff), or there was nothing to look at',
  },
]

export const dataDirFlags: readonly Flag[] = hostFlags.filter(({ name }) => name === 'data-dir')
