import type { CommandContext, CommandExample, CommandExit } from '../../base/command.ts'
import type { outputFileFlags } from '../../base/flags.ts'
import { artifactFlag, type CommandOptions, type Flag } from '../../base/flags.ts'

/** Flags of every action that lists something; the help shows them once. */
export const reportFlags = [
  { name: 'markdown', description: 'check, diff: print a Markdown table' },
  {
    name: 'fail',
    description: 'end with 11 if something deviates (check) or breaks callers (diff), or there was nothing to look at',
  },
] as const satisfies readonly Flag[]

export const checkFlags = [
  { name: 'sarif', description: 'check: print a SARIF 2.1.0 log' },
  { name: 'github', description: 'check: print commands with which GitHub Actions marks the file of --artifact' },
  { name: 'observed', description: 'check: also list what is otherwise than seen on 0.49 (never counted)' },
  artifactFlag(
    'check: with --sarif and --github, the file of the repository that the results are about (default bridge.d.ts)',
  ),
  ...reportFlags,
] as const satisfies readonly Flag[]

export const exportFlags = [
  {
    name: 'format',
    valueName: 'FORMAT',
    choices: ['dts', 'openapi', 'json-schema', 'markdown'],
    description: 'export: what is written (default dts)',
  },
  { name: 'examples', description: 'export: also write words of the interface that are too rare for an enumeration' },
] as const satisfies readonly Flag[]

export type ContractOptions = CommandOptions<[...typeof checkFlags, ...typeof exportFlags, ...typeof outputFileFlags]>

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
