/** @module-tag slow */

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { RecordingRedaction } from '../../../electron/services/recordings/redaction/recording-redaction.ts'
import type { EntryContent } from '../../../electron/recording-file/pieces.ts'
import { lineParts, lineSchemas, type RedactionPolicy } from '../../../shared/recordings/recording.ts'
import {
  createPlantedRecording,
  listSurvivors,
  listTokenForms,
  PLANTED,
  plantedTexts,
  plantedTokens,
  TIME,
  type PlantedRecording,
} from '../../support/data/planted-recording.ts'
import { NOTE_ID, TOPIC_ID } from './recorded-lines.ts'

async function readWhole(content: EntryContent | null): Promise<Buffer> {
  if (content === null) return Buffer.alloc(0)
  if (content instanceof Uint8Array) return Buffer.from(content)
  const pieces: Buffer[] = []
  for await (const piece of content) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** Passes a body on in pieces of a few bytes, which cut words and characters. */
async function* splitBody(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const pieceBytes = bytes.length > 2_000 ? 977 : 7
  for (let offset = 0; offset < bytes.length; offset += pieceBytes) yield bytes.subarray(offset, offset + pieceBytes)
}

async function redactAll(
  recording: PlantedRecording,
  policy: RedactionPolicy,
  tokens: readonly string[],
): Promise<Buffer[]> {
  const redaction = new RecordingRedaction({ policy, tokens })
  const source = await redaction.redactSource(
    {
      describe: () => ({
        ...{
          createdAt: TIME,
          title: '',
          program: { name: 'test', version: '1' },
          span: null,
          leftOut: [],
          redaction: null,
        },
        host: { baseUrl: 'http://127.0.0.1:1', name: 'Demo Notes', version: '4.9.1' },
        selection: { kind: 'all' },
      }),
      lines: { ...recording.lines, exchanges: recording.exchanges },
      loadBody: (name) => {
        const bytes = recording.bodies.get(name)
        return Promise.resolve(bytes ? splitBody(bytes) : null)
      },
    },
    () => recording.exchanges,
  )
  const entries: Buffer[] = [Buffer.from(JSON.stringify(source.describe()))]
  for (const part of lineParts) {
    for await (const line of source.lines[part] ?? [])
      entries.push(Buffer.from(JSON.stringify(lineSchemas[part].parse(line))))
  }
  const names = new Set(
    entries.flatMap((entry) => entry.toString().match(/(?<="(?:request|response)Body":")[0-9a-f]{64}/g) ?? []),
  )
  for (const name of names) {
    const bytes = await readWhole(await source.loadBody(name))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(name)
    entries.push(bytes)
  }
  return entries
}

describe('safety 69: planted texts', () => {
  const texts = plantedTexts

  it.each(['placeholder', 'drop'] as const)('none of 500 survives as %s in any entry', async (kind) => {
    const policy: RedactionPolicy = { texts: kind, ids: 'keep', pictures: kind === 'drop' ? 'drop' : 'grey' }
    const entries = await redactAll(createPlantedRecording(texts), policy, [])
    expect(listSurvivors(entries, texts)).toEqual([])
    // The manifest comes first; the name of an application is no text of a library.
    expect(JSON.parse(entries[0]?.toString() ?? '')).toMatchObject({ host: { name: 'Demo Notes', version: '4.9.1' } })
  })

  it('none survives where ids are mapped and pictures stay', async () => {
    const policy: RedactionPolicy = { texts: 'placeholder', ids: 'map', pictures: 'keep' }
    expect(
      listSurvivors(await redactAll(createPlantedRecording(texts), policy, []), [...texts, NOTE_ID, TOPIC_ID]),
    ).toEqual([])
  })
})

it('keeps the lines of a plugin’s own code, without the folder of the user and without foreign names', async () => {
  const token = plantedTokens[0] ?? ''
  const createFrame = (file: string, functionName: string) => ({
    ...{ file, functionName, line: 1, column: 9, isAsync: false, isLibrary: false, isWrapper: false },
    original: { file: file.replace('.js', '.ts'), line: 40, column: 7 },
  })
  const frames = [
    createFrame('/assets/index-B1f.js?t=The secret title', 'Cards.load'),
    createFrame('file:///home/anna/plugin/src/bridge.js', 'send'),
    createFrame(`/The secret title.js`, 'The secret «title»'),
    createFrame(`/${token}.js`, token),
  ]
  const recording = createPlantedRecording(['A title'])
  const exchanges = recording.exchanges.map((exchange) => ({ ...exchange, initiator: { frames, loader: null } }))
  const policy: RedactionPolicy = { texts: 'placeholder', ids: 'map', pictures: 'drop' }
  const fileText = Buffer.concat(await redactAll({ ...recording, exchanges }, policy, [token])).toString()
  for (const text of [
    '"/assets/index-B1f.js"',
    '"/assets/index-B1f.ts"',
    '"Cards.load"',
    '"/plugin/src/bridge.ts"',
    '"line":40',
  ])
    expect(fileText).toContain(text)
  for (const text of ['secret', 'anna', token]) expect(fileText).not.toContain(text)
})

describe('safety 69: planted tokens', () => {
  const tokens = plantedTokens
  const planted = Array.from({ length: PLANTED }, (_, index) => tokens[index % tokens.length] ?? '')

  it.each(['keep', 'placeholder', 'drop'] as const)('none of 500 survives where texts are %s', async (kind) => {
    const policy: RedactionPolicy = { texts: kind, ids: 'keep', pictures: 'keep' }
    expect(
      listSurvivors(await redactAll(createPlantedRecording(planted), policy, tokens), tokens, listTokenForms),
    ).toEqual([])
  })

  it('none survives that belongs to no profile, where texts are kept', async () => {
    const foreign = planted.filter((token) => token.startsWith('mnb0.'))
    const policy: RedactionPolicy = { texts: 'keep', ids: 'keep', pictures: 'keep' }
    const entries = await redactAll(createPlantedRecording(foreign), policy, [])
    expect(listSurvivors(entries, foreign, (token) => [Buffer.from(token)])).toEqual([])
  })
})
