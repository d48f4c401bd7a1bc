import { filesIn } from '../../model/answers/bundle-files.ts'
import type { ResponseOf } from '../../../shared/bridge/endpoints/index.ts'

/** A task bundle as far as it says what it is. */
export interface Bundle {
  readonly at: number
  readonly id: string
  readonly state: string
  readonly origin: string
  /** As sent. */
  readonly createdAt: unknown
  readonly done: number | null
  readonly total: number | null
  /** Why it failed, in the host's words. */
  readonly error: string
  /** Paths of its files, where the host lists them. */
  readonly files: readonly string[]
}

export function bundleOf(sent: ResponseOf<'bundles.list'>['bundles'][number], at: number): Bundle {
  const text = (name: string): string => (typeof sent[name] === 'string' ? sent[name] : '')
  return {
    at,
    id: sent.bundleId || text('id'),
    state: sent.state ?? '',
    origin: text('origin'),
    createdAt: sent['createdAt'],
    done: sent.progress?.pagesDone ?? null,
    total: sent.progress?.pagesTotal ?? null,
    error: text('error'),
    files: filesIn(sent['files']),
  }
}
