import { trimEndChars } from '../../../shared/format/trim-chars.ts'
import { readFileSync, statSync } from 'node:fs'
import { readRecordedSchemas } from '../../../electron/services/traffic/recorded/recorded-schemas.ts'
import { readSchemaFile, SchemaFileError } from '../../../electron/core/contract/schema-file.ts'
import type { RouteSchema, SchemaBundle } from '../../../shared/contract/route-schema.ts'
import { createSideBundle } from '../../../electron/core/contract/schema-export.ts'
import type { LearnedFilter, SchemaSide } from '../../../shared/ipc/contract-schemas.ts'
import type { CommandContext } from '../../base/command.ts'
import { createUsageError } from '../../base/flags.ts'
import { getDataDir } from '../../base/session.ts'
import type { ContractOptions } from './contract-action.ts'

export const SIDE_DESCRIPTION =
  'A side is contract (what the program knows), recorded (what the hosts said, as far as it was recorded in the data directory) or combined (the contract, completed by what was recorded). After an @, recorded and combined take a version of the host, a day or a span of days, and an address, joined by commas: recorded@0.91, recorded@2026-11-01..2026-11-20, combined@http://127.0.0.1:4321,0.91.'

export type CommandSide = SchemaSide | { readonly kind: 'file'; readonly path: string }

const DAY = /^\d{4}-\d\d-\d\d$/
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** @throws FLAG_INVALID when a filter is not valid */
export function parseSide(text: string): CommandSide {
  const [kind, ...filters] = text.split('@')
  if (kind === 'contract' && filters.length === 0) return { kind }
  if (kind === 'recorded' || kind === 'combined') return { kind, filter: parseFilter(filters.join('@')) }
  return { kind: 'file', path: text }
}

function parseFilter(text: string): LearnedFilter {
  const filter: { -readonly [Name in keyof LearnedFilter]: LearnedFilter[Name] } = {
    host: null,
    version: null,
    from: null,
    to: null,
  }
  for (const part of text === '' ? [] : text.split(',')) {
    const [from = '', to = from] = part.split('..')
    if (/^https?:\/\//.test(part)) filter.host = trimEndChars(part, '/')
    else if (part.includes('..') || DAY.test(part)) {
      if (![from, to].every((day) => day === '' || DAY.test(day)) || part === '..')
        throw createUsageError('A span of days is written as 2026-11-01..2026-11-20.')
      filter.from = from || null
      filter.to = to || null
    } else filter.version = part
  }
  return filter
}

/** Reads what was recorded for a side, in a data directory in which the app may be running. */
export async function readRecordedRoutes(
  side: SchemaSide,
  { io, env, signal }: CommandContext,
  { dataDir: chosenDir }: ContractOptions,
): Promise<RouteSchema[]> {
  if (side.kind === 'contract') return []
  const dataDir = getDataDir(chosenDir, env)
  const routes = await readRecordedSchemas(dataDir, side.filter, signal)
  // Nothing is known then, which must not look like a host without routes.
  if (routes.length === 0) io.printStderr(`NOTHING_RECORDED: Of this, no response is recorded in ${dataDir}.`)
  return routes
}

/** @throws FLAG_INVALID when a file is no schema, or has a keyword that is not understood */
export async function readSideBundle(
  side: CommandSide,
  context: CommandContext,
  options: ContractOptions,
): Promise<SchemaBundle> {
  if (side.kind !== 'file') return createSideBundle(side, await readRecordedRoutes(side, context, options))
  const stats = statSync(side.path, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size > MAX_FILE_BYTES)
    throw createUsageError('A side is contract, recorded, combined, or a file that exists.')
  try {
    return readSchemaFile(readFileSync(side.path, 'utf8'))
  } catch (error) {
    throw error instanceof SchemaFileError ? createUsageError(`${side.path}: ${error.message}`) : error
  }
}
