import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ExportedArchive } from '../../shared/ipc/recordings.ts'
import { toExchangeDetail } from '../../shared/recordings/recording.ts'
import { createHarLog, toHarEntry } from '../../shared/traffic/har.ts'
import type { RecordingFile } from './recording-file.ts'
import { listSnapshotInfos } from './recording-reader.ts'
import { FILE_MODE, writeWhole } from './whole-file.ts'

/** Parts of a recording that an archive holds, or that are made of the others. */
const ARCHIVED_PARTS: ReadonlySet<string> = new Set(['exchanges', 'bodies', 'report', 'integrity'])

/** HAR 1.2, one exchange at a time; whole or not at all. @throws SAVE_FAILED, errors of reading */
export async function exportArchive(
  recording: RecordingFile,
  file: string,
  version: string,
  { signal, temporaryDir }: { readonly signal?: AbortSignal; readonly temporaryDir?: string } = {},
): Promise<Omit<ExportedArchive, 'file'>> {
  const { parts } = recording.manifest
  const leftOut: Record<string, number> = {}
  for (const [part, { entries, lines }] of Object.entries(parts))
    if (!ARCHIVED_PARTS.has(part))
      leftOut[part] = part === 'snapshots' ? (await listSnapshotInfos(recording)).length : (lines ?? entries)
  await writeWhole(file, temporaryDir, async (temporary) => {
    const target = createWriteStream(temporary, { flags: 'wx', mode: FILE_MODE, flush: true })
    await pipeline(Readable.from(formatArchive(recording, version, leftOut)), target, { ...(signal ? { signal } : {}) })
  })
  return { entries: parts['exchanges']?.lines ?? 0, leftOut }
}

async function* formatArchive(
  recording: RecordingFile,
  version: string,
  leftOut: ExportedArchive['leftOut'],
): AsyncGenerator<string> {
  const names = Object.entries(leftOut).map(([part, count]) => `${count} ${part}`)
  const comment = names.length === 0 ? {} : { comment: `Not in this archive: ${names.join(', ')}` }
  // The entries are the last member, and are written into its brackets.
  const head = JSON.stringify({ ...comment, ...createHarLog([], version).log })
  yield `{"log":${head.slice(0, -2)}`
  let separator = '\n'
  for await (const exchange of recording.readExchanges()) {
    const entry = toHarEntry(
      toExchangeDetail(exchange),
      await readBody(recording, exchange.requestBody),
      await readBody(recording, exchange.responseBody),
    )
    yield `${separator}${JSON.stringify(entry)}`
    separator = ',\n'
  }
  yield '\n]}}\n'
}

async function readBody(recording: RecordingFile, name: string | null): Promise<Uint8Array | null> {
  return name === null ? null : recording.readBody(name)
}
