import { defineCommand } from '../base/command.ts'
import { createUsageError, hostFlags, outputFlags, type Flag } from '../base/flags.ts'
import type { ContractAction, ContractOptions } from './contract/contract-action.ts'
import { checkAction } from './contract/check-action.ts'
import { diffAction } from './contract/diff-action.ts'
import { exportAction } from './contract/export-action.ts'

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
