import { defineCommand } from '../base/command.ts'
import { createUsageError, hostFlags, outputFlags, type Flag, dataDirFlags, outputFileFlags } from '../base/flags.ts'
import { type ContractAction, type ContractOptions, exportFlags } from './contract/contract-action.ts'
import { checkAction } from './contract/check-action.ts'
import { diffAction } from './contract/diff-action.ts'
import { readFileSync } from 'node:fs'
import { exportSchemas } from '../../electron/core/contract/schema-export.ts'
import { assertOutputWritable, withOutput } from '../base/output-file.ts'
import { parseSide, readRecordedRoutes, SIDE_DESCRIPTION } from './contract/schema-sides.ts'

const exportAction: ContractAction = {
  name: 'export',
  description: `export [SIDE] writes every route: parameters, body, response, errors and their codes. dts: TypeScript declarations; with them, host.api<"GET /study-sets/{topicid}/note-palette"> is checked. openapi: OpenAPI 3.1. json-schema: JSON Schema 2020-12, which contract diff reads. markdown: for people. ${SIDE_DESCRIPTION} Without a side, dts is the contract, which the npm package has as bridge-inspector/bridge, and every other format is combined. What nobody has shown is left open. Of what was recorded, no values are written but the words of an enumeration.`,
  flags: [...exportFlags, ...dataDirFlags, ...outputFileFlags],
  examples: [
    { commandLine: 'contract export --format dts -o bridge.d.ts', description: 'beside the code of a panel' },
    {
      commandLine: 'contract export --format openapi -o bridge.json',
      description: 'the contract as the host speaks it',
    },
  ],
  async run(context, [sideName, ...others], exportOptions) {
    if (others.length > 0) throw createUsageError('contract export takes one side.')
    assertOutputWritable(exportOptions)
    const { format = 'dts', examples } = exportOptions
    const side = parseSide(sideName ?? (format === 'dts' ? 'contract' : 'combined'))
    if (side.kind === 'file') throw createUsageError('contract export takes contract, recorded or combined.')
    const declarations = readFileSync(new URL('bridge.d.ts', context.resources), 'utf8')
    const recorded = await readRecordedRoutes(side, context, exportOptions)
    const { text } = exportSchemas({ format, side, recorded, hasExamples: examples === true, declarations })
    await withOutput(context.io, exportOptions, (print) => print(text))
    return 'ok'
  },
}

const actions: readonly ContractAction[] = [checkAction, exportAction, diffAction]

/** Actions may share a flag, which the help lists once. */
const ownFlags: readonly Flag[] = [
  ...new Map(actions.flatMap((action) => action.flags.map((flag) => [flag.name, flag] as const))).values(),
].filter(({ name }) => !hostFlags.some((flag) => flag.name === name))

function findAction(name: string): ContractAction {
  const action = actions.find((candidate) => candidate.name === name)
  if (!action) throw createUsageError(`contract takes ${actions.map((candidate) => candidate.name).join(', ')}.`)
  return action
}

/** Refuses flags that would have no effect, because the user expects one. */
function assertFlagsTaken(action: ContractAction, options: ContractOptions): void {
  const flagNames = [...action.flags, ...(action.hasHostFlags ? hostFlags : []), ...outputFlags].map(({ name }) => name)
  for (const [name, value] of Object.entries(options)) {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    if (value === undefined || flagNames.includes(flag)) continue
    throw createUsageError(`--${flag} is not for contract ${action.name}.`)
  }
}

export const contractCommand = defineCommand({
  name: 'contract',
  summary: 'Hold a host against the contract, export what it speaks, and compare versions',
  description: actions.map(({ description }) => description),
  args: [
    {
      name: 'action',
      required: true,
      choices: actions.map(({ name }) => name),
      description: 'what is done with the contract',
    },
    {
      name: 'side',
      required: false,
      isRepeatable: true,
      description: 'contract, recorded[@FILTER] or combined[@FILTER]; for diff also a file',
    },
  ],
  flags: ownFlags,
  examples: actions.flatMap(({ examples }) => examples),
  hasHostFlags: true,
  run(context, [name = '', ...args], options) {
    const action = findAction(name)
    assertFlagsTaken(action, options)
    return action.run(context, args, options)
  },
})
