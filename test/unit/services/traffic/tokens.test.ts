import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RawEntry } from '../../../../electron/services/traffic/entry.ts'
import { pickRunCount } from '../../../support/data/run-count.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { readAllFiles } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { jsonEncodings, tokenEncodings, tokenEncodingsInJson } from '../../../support/data/token-encodings.ts'
import { expectNoSecret } from '../../../support/data/secrets.ts'
import { addAll, createBody, openDiskStore, createEntry, indexAll } from '../../../support/services/traffic.ts'

const OTHER = 'mnb0.Of-Another_Profile/9sK2+q7Wz~Aa31.Zt8'
const tokens = [TOKEN, OTHER]

const anyFiller = fc.string({ maxLength: 40 }).map((text) => text.replace(/[\\%&\0\ud800-\udfff]/g, '.'))
const surroundings = fc.tuple(anyFiller, anyFiller)
const placedToken = fc
  .tuple(fc.constantFrom(...tokens), tokenEncodings, surroundings)
  .map(([token, write, [before, after]]) => {
    const secret = write(token)
    return { secret, text: `${before} ${secret} ${after}` }
  })

const entryByPlace = {
  path: (text: string): RawEntry => createEntry({ row: { path: `/x?y=${text}` } }),
  header: (text: string) =>
    createEntry({ responseHeaders: [['X-Echo', text]], requestHeaders: [[text.slice(0, 300), 'x']] }),
  label: (text: string) => createEntry({ row: { origin: { kind: 'tracker', label: text } } }),
  code: (text: string) => createEntry({ row: { errorCode: text } }),
  error: (text: string) =>
    createEntry({ error: { kind: 'http', message: text, retryable: false, details: { [text]: [text] } } }),
  'text body': (text: string) => createEntry({ response: createBody(text, 'text/plain') }),
  'request body': (text: string) => createEntry({ request: createBody(text, 'text/plain') }),
  'media type': (text: string) => createEntry({ response: createBody('x', text) }),
} as const

describe('store of recorded traffic', () => {
  test('safety 57: contains no token of any profile, in any place and form of safety 50', { tags: ['long'] }, () => {
    const dir = createTempDir()
    const opened = openDiskStore(dir)
    opened.store.masker.addTokens(tokens)
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(entryByPlace) as (keyof typeof entryByPlace)[])),
        placedToken,
        (spot, { secret, text }) => {
          const [seq = 0] = addAll(opened, [entryByPlace[spot](text)])
          const detail = opened.store.reader.exchange({ seq })
          const bodies = (['request', 'response'] as const).map((side) =>
            Buffer.from(opened.store.reader.body(seq, side, 0, 1e6)?.bytes ?? []).toString('latin1'),
          )
          const storedText = [JSON.stringify(detail), ...bodies].join('\n')
          expect(storedText.toLowerCase().includes(secret.toLowerCase())).toBe(false)
          for (const token of tokens) expectNoSecret(storedText, token)
        },
      ),
      { numRuns: pickRunCount(300, 5_000) },
    )
    indexAll(opened)
    opened.store.close()
    for (const token of tokens) expectNoSecret(readAllFiles(dir), token)
  })

  test(
    'safety 57: contains no token in JSON, in binary data, or at the beginning of a truncated body',
    { tags: ['long'] },
    () => {
      const dir = createTempDir()
      const opened = openDiskStore(dir)
      opened.store.masker.addTokens(tokens)
      const binary = fc.tuple(fc.uint8Array({ maxLength: 200 }), placedToken, fc.uint8Array({ maxLength: 200 }))
      const json = fc
        .tuple(fc.constantFrom(...tokens), tokenEncodingsInJson, surroundings, jsonEncodings)
        .map(([token, write, [before, after], escape]) => `{"a":"${escape(before)} ${write(token)} ${escape(after)}"}`)
      fc.assert(
        fc.property(fc.oneof(binary, json), (content) => {
          const isJson = typeof content === 'string'
          const bytes = isJson
            ? Buffer.from(content)
            : Buffer.concat([content[0], Buffer.from(content[1].text), content[2]])
          const body = createBody(bytes, isJson ? 'application/json' : 'application/octet-stream')
          const [seq = 0] = addAll(opened, [createEntry({ response: body })])
          const storedBytes = Buffer.from(opened.store.reader.body(seq, 'response', 0, 1e6)?.bytes ?? [])
          expect(storedBytes.byteLength).toBe(bytes.byteLength)
          for (const token of tokens) expectNoSecret(storedBytes.toString('latin1'), token)
        }),
        { numRuns: pickRunCount(300, 5_000) },
      )
      for (let cut = 17; cut < TOKEN.length; cut += 1) {
        const body = { ...createBody(`"${TOKEN.slice(0, cut)}`), missing: 'limit' as const }
        const [seq = 0] = addAll(opened, [createEntry({ response: body })])
        const storedText = Buffer.from(opened.store.reader.body(seq, 'response', 0, 1e6)?.bytes ?? []).toString()
        expectNoSecret(storedText, TOKEN)
      }
      opened.store.close()
      for (const token of tokens) expectNoSecret(readAllFiles(dir), token)
    },
  )
})
