import { parseBundleFilePaths } from '../../model/responses/bundle-files.ts'
import type { ResponseOf } from '../../../shared/bridge/endpoints/index.ts'

/** A task bundle as far as it says what it is. */
export interface Bundle {
  readonly index: number
  readonly id: string
  readonly state: string
  readonly origin: string
  /** As sent. */
  readonly createdAt: unknown
  readonly pagesDone: number | null
  readonly pagesTotal: number | null
  /** Why it failed, in the host's words. */
  readonly error: string
  /** Paths of its files, where the host lists them. */
  readonly files: readonly string[]
}

export function parseBundle(sent: ResponseOf<'bundles.list'>['bundles'][number], at: number): Bundle {
  const text = (name: string): string => (typeof sent[name] === 'string' ? sent[name] : '')
  return {
    index: at,
    id: sent.bundleId || text('id'),
    state: sent.state ?? '',
    origin: text('origin'),
    createdAt: sent['createdAt'],
    pagesDone: sent.progress?.pagesDone ?? null,
    pagesTotal: sent.progress?.pagesTotal ?? null,
    error: text('error'),
    files: parseBundleFilePaths(sent['files']),
  }
}
