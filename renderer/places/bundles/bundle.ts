import { parseBundleFilePaths } from '../../model/responses/bundle-files.ts'
import type { ResponseOf } from '../../../shared/bridge/endpoints/index.ts'

/** Members that the host did not send are empty or null. */
export interface Bundle {
  readonly index: number
  readonly id: string
  readonly state: string
  readonly origin: string
  /** The time as the host sent it, in whatever unit. */
  readonly createdAt: unknown
  readonly pagesDone: number | null
  readonly pagesTotal: number | null
  /** The host's message about the failure; empty if the bundle has not failed. */
  readonly error: string
  readonly files: readonly string[]
}

/** @param index position of the entry in the list as sent */
export function parseBundle(entry: ResponseOf<'bundles.list'>['bundles'][number], index: number): Bundle {
  const getText = (name: string): string => (typeof entry[name] === 'string' ? entry[name] : '')
  return {
    index,
    id: entry.bundleId || getText('id'),
    state: entry.state ?? '',
    origin: getText('origin'),
    createdAt: entry['createdAt'],
    pagesDone: entry.progress?.pagesDone ?? null,
    pagesTotal: entry.progress?.pagesTotal ?? null,
    error: getText('error'),
    files: parseBundleFilePaths(entry['files']) ?? [],
  }
}
