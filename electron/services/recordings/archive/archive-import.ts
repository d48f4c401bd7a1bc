// HTTP archives (HAR 1.2) become recordings, which can then be opened, served and checked as those
// of this program. What an archive does not hold is left out and named. Read this file first.

import { openArchive, type ArchiveFile } from '../../../recording-file/archive-reader.ts'
import { writeRecording, type RecordingSource, type WriteOptions } from '../../../recording-file/recording-writer.ts'
import {
  listLeftOut,
  type LeftOut,
  type ManifestFacts,
  type RecordedExchange,
  type RecordingManifest,
} from '../../../../shared/recordings/recording.ts'
import { AppError } from '../../../../shared/errors.ts'
import { RecordingRedaction } from '../redaction/recording-redaction.ts'
import { parseArchiveEntry, type ArchivedExchange } from './archived-exchange.ts'

const KEEP_ALL = { texts: 'keep', ids: 'keep', pictures: 'keep' } as const
const MAX_TITLE_CHARS = 500
/** More entries with a problem are only counted. */
const MAX_NAMED_PROBLEMS = 500
/** Parts that an archive has no place for. */
const ABSENT_PARTS = ['operations', 'findings', 'deviations', 'console', 'snapshots'] as const

interface ImportOptions extends Pick<WriteOptions, 'sign' | 'temporaryDir'> {
  readonly title: string
  readonly program: RecordingManifest['program']
  /** All tokens that are known, which become asterisks. */
  readonly tokens: readonly string[]
}

/**
 * Writes what an archive holds as a recording. A signature on it proves what was imported, not
 * that the archive is true. The file appears whole or not at all.
 * @throws SAVE_FAILED, and the errors of `openArchive`
 */
export async function importArchive(
  file: string,
  target: string,
  { title, program, tokens, ...writing }: ImportOptions,
): Promise<void> {
  const archive = await openArchive(file)
  try {
    const { facts, readAll, loadBody } = await indexExchanges(archive)
    const describe = (): ManifestFacts => ({
      createdAt: Date.now(),
      program,
      redaction: null,
      selection: { kind: 'archive' as const },
      title: title.slice(0, MAX_TITLE_CHARS),
      ...facts,
    })
    const source: RecordingSource = { describe, lines: { exchanges: readAll() }, loadBody }
    const redaction = new RecordingRedaction({ policy: KEEP_ALL, tokens, loadBody })
    const masked = await redaction.redactSource(source, readAll)
    // Only tokens were removed.
    await writeRecording(target, { ...masked, describe: () => ({ ...masked.describe(), redaction: null }) }, writing)
  } finally {
    await archive.close()
  }
}

/** An entry of the archive by the number that it has in the recording. */
interface EntryNumber {
  readonly index: number
  readonly startedAt: number
}

/** Reads every entry once, to order them and to know what is missing. */
async function indexExchanges(archive: ArchiveFile) {
  const entries: EntryNumber[] = []
  /** Maps each body to the index of the first entry that has it. */
  const indexes = new Map<string, number>()
  const hosts = new Map<string, number>()
  const problems: LeftOut[] = []
  const addProblem = (index: number, member: string, why: LeftOut['why']): void => {
    if (problems.length < MAX_NAMED_PROBLEMS) problems.push({ what: `log.entries[${index}]${member}`, count: 0, why })
  }
  let [unreadable, missingBodies, to] = [0, 0, -Infinity]
  let damage: unknown = null
  for (let index = 0; index < archive.entryCount; index += 1) {
    const value = await archive.readEntry(index).catch((error: unknown) => {
      damage ??= error
      return error instanceof AppError ? error : Promise.reject(error as Error)
    })
    const archived = value instanceof AppError ? 'not-json' : parseArchiveEntry(value, index + 1)
    if (typeof archived === 'string') {
      unreadable += 1
      addProblem(index, '', archived)
      continue
    }
    for (const { member, why } of archived.problems) addProblem(index, member, why)
    const { row, request, response } = archived.exchange
    entries.push({ index, startedAt: row.startedAt })
    for (const name of archived.bodies.keys()) if (!indexes.has(name)) indexes.set(name, index)
    hosts.set(row.host, (hosts.get(row.host) ?? 0) + 1)
    for (const { missing } of [request, response]) if (missing !== null) missingBodies += 1
    to = Math.max(to, row.startedAt + (row.durationMs ?? 0))
  }
  // A file of which nothing can be read is refused with the reason.
  if (entries.length === 0 && damage !== null) throw damage as Error
  entries.sort((first, second) => first.startedAt - second.startedAt || first.index - second.index)
  const from = entries[0]?.startedAt
  const facts = {
    host: { baseUrl: chooseHost(hosts), name: null, version: null },
    span: from === undefined ? null : { from, to },
    leftOut: [
      ...listLeftOut('not-in-archive', { entries: unreadable, bodies: missingBodies }),
      ...problems,
      ...ABSENT_PARTS.map((part) => ({ what: part, count: 0, why: 'not-in-archive' as const })),
    ],
  }
  return { facts, ...createExchangeReader(archive, entries, indexes) }
}

function createExchangeReader(
  archive: ArchiveFile,
  entries: readonly EntryNumber[],
  indexes: ReadonlyMap<string, number>,
) {
  const seqs = new Map(entries.map(({ index }, position) => [index, position + 1]))
  let last: ArchivedExchange | null = null

  async function read(seq: number): Promise<ArchivedExchange | null> {
    const entry = entries[seq - 1]
    const archived = entry ? parseArchiveEntry(await archive.readEntry(entry.index), seq) : null
    return (last = typeof archived === 'string' ? null : archived)
  }

  return {
    async *readAll(): AsyncGenerator<RecordedExchange> {
      const ids = new Set<string>()
      for (let seq = 1; seq <= entries.length; seq += 1) {
        const archived = await read(seq)
        if (!archived) continue
        const { exchange } = archived
        const { id } = exchange.row
        const isRepeated = ids.has(id)
        ids.add(id)
        const unique = `archive-${seq}`
        yield isRepeated ? { ...exchange, row: { ...exchange.row, id: unique, group: unique } } : exchange
      }
    },
    async loadBody(name: string): Promise<Uint8Array | null> {
      const recent = last?.bodies.get(name)
      if (recent) return recent
      const seq = seqs.get(indexes.get(name) ?? -1)
      return (seq === undefined ? null : await read(seq))?.bodies.get(name) ?? null
    },
  }
}

/** The bridge of most exchanges, or the host of most if none is a bridge. */
function chooseHost(hosts: ReadonlyMap<string, number>): string | null {
  const isBridge = (host: string): boolean => host.endsWith('/bridge/v1')
  const ranked = [...hosts].sort(
    ([first, firstCount], [second, secondCount]) =>
      Number(isBridge(second)) - Number(isBridge(first)) || secondCount - firstCount,
  )
  const host = ranked[0]?.[0] ?? null
  return host !== null && host.length <= 2_000 ? host : null
}
