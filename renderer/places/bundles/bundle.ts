import { parseBundleFilePaths } from '../../model/responses/bundle-files.ts'
import type { ResponseOf } from '../../../shared/bridge/endpoints/index.ts'

/** A task bundle; members that the host did not send are empty or null. */
export interface Bundle {
  readonly index: number
  readonly id: string
  readonly state: string
  readonly origin: string
  /** The time as the host sent it, in whatever unit. */
  readonly createdAt: unknown
  readonly pagesDone: number | null
  readonly pagesTotal: number | null
  /** The host's message about the failure; empty if there is none. */
  readonly error: string
  readonly files: readonly string[]
}

export function parseBundle(sent: ResponseOf<'bundles.list'>['bundles'][number], index: number): Bundle {
  const getText = (name: string): string => (typeof sent[name] === 'string' ? sent[name] : '')
  return {
    index,
    id: sent.bundleId || getText('id'),
    state: sent.state ?? '',
    origin: getText('origin'),
    createdAt: sent['createdAt'],
    pagesDone: sent.progress?.pagesDone ?? null,
    pagesTotal: sent.progress?.pagesTotal ?? null,
    error: getText('error'),
    files: parseBundleFilePaths(sent['files']),
  }
}
