import type { IpcInput, IpcOutput } from '../../shared/ipc/index.ts'
import type { LearnedFilter } from '../../shared/ipc/contract-schemas.ts'
import { call } from '../ipc/call.ts'

export const EMPTY_LEARNED_FILTER: LearnedFilter = { host: null, version: null, from: null, to: null }

/** Lists the routes of which responses were recorded, and what a filter may choose from. */
export function readLearnedRoutes(filter: LearnedFilter, signal?: AbortSignal): Promise<IpcOutput<'contract.learned'>> {
  return call('contract.learned', { filter }, signal ? { signal } : {})
}

export function readLearnedShape(
  input: IpcInput<'contract.learnedShape'>,
  signal: AbortSignal,
): Promise<IpcOutput<'contract.learnedShape'>> {
  return call('contract.learnedShape', input, { signal })
}

export function exportSchemas(input: IpcInput<'contract.export'>): Promise<IpcOutput<'contract.export'>> {
  return call('contract.export', input)
}

export function compareSchemas(
  input: IpcInput<'contract.compare'>,
  signal: AbortSignal,
): Promise<IpcOutput<'contract.compare'>> {
  return call('contract.compare', input, { signal })
}
