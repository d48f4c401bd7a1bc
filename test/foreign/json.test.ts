import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatJson } from '../../renderer/model/json/json-formatter.ts'
import { inspectJson } from '../../shared/json/inspection.ts'
import { extractRawTexts } from '../../shared/json/raw-texts.ts'
import { scanElementRanges } from '../../shared/json/list-elements.ts'
import { AppError } from '../../shared/errors.ts'
import * as does from '../support/hosts/behaviours.ts'
import { getSmallRead, expectAppError, createTarget, createTestClient } from '../support/services/test-client.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../support/hosts/misbehaving-host.ts'
import { figure } from './figures.ts'
import { accepted, open, refused, type JsonCase } from './json-cases.ts'

let observedCount = 0
const counted = { accepted: 0, refused: 0, open: 0, 'sent by a host': 0 }

/** Every function here that reads JSON without a parser agrees with the parser on a valid text. */
function agrees({ bytes }: JsonCase): void {
  const { text, value } = inspectJson(bytes)
  expect(value).toEqual(JSON.parse(text))
  expect(JSON.parse(formatJson(text).text)).toEqual(value)
  expect(JSON.parse(extractRawTexts(text, [''], Number.POSITIVE_INFINITY).get('')?.text ?? '')).toEqual(value)
  if (!Array.isArray(value)) return
  const clean = new TextEncoder().encode(text)
  const walk = scanElementRanges(clean, null)
  let step = walk.next()
  while (!step.done) step = walk.next()
  const ranges = step.value
  expect(ranges.length / 2).toBe(value.length)
  const elements = value.map((_, index) => clean.subarray(ranges[2 * index] ?? 0, ranges[2 * index + 1] ?? 0))
  expect(elements.map((element) => JSON.parse(new TextDecoder().decode(element)) as unknown)).toEqual(value)
}

describe('JSON texts', () => {
  test.each(accepted)('$name is accepted', (entry) => {
    expect(inspectJson(entry.bytes)).toMatchObject({ isValid: true })
    agrees(entry)
    counted.accepted += 1
  })

  test.each(refused)('$name is rejected, and the views cope with it', ({ bytes }) => {
    const { isValid: ok, value, text, findings } = inspectJson(bytes)
    expect([ok, value]).toEqual([false, undefined])
    expect(findings.map(({ kind }) => kind)).toContainEqual(expect.stringMatching(/^(?:not-json|too-deep)$/))
    expect(formatJson(text, 10_000).text.length).toBeLessThan(400_000)
    counted.refused += 1
  })

  test.each(open)('$name: the findings are $said', (entry) => {
    const { isValid: ok, findings } = inspectJson(entry.bytes)
    expect(ok).toBe(entry.refused !== true)
    const kinds = findings.map(({ kind }): string => kind)
    for (const kind of entry.said) expect(kinds).toContain(kind)
    if (entry.said.length === 0) expect(kinds).toEqual([])
    if (ok) agrees(entry)
    counted.open += 1
  })
})

describe('the same texts sent by a host', () => {
  const { client } = createTestClient()
  let host: MisbehavingHost
  beforeAll(async () => {
    host = await startMisbehavingHost(does.respondJson({}))
  })
  afterAll(() => host.close())

  const read = async (bytes: Buffer): Promise<unknown> => {
    host.setBehaviour(does.respond(bytes, { type: 'application/json' }))
    return (await client.requestJson(createTarget(host.baseUrl), { endpoint: getSmallRead(), attempts: 1 })).value
  }

  test('arrive unchanged if valid, fail as malformed otherwise, and the client keeps working', async () => {
    const readable = [...accepted, ...open.filter((entry) => entry.refused !== true)]
    // No route returns a bare value, so the client rejects one.
    const isBare = ({ bytes }: JsonCase): boolean => !/^\s*[[{]/.test(inspectJson(bytes).text)
    for (const { name, bytes } of readable.filter((entry) => !isBare(entry))) {
      expect(await read(bytes), name).toEqual(inspectJson(bytes).value)
      observedCount += 1
    }
    for (const { name, bytes } of [...refused, ...readable.filter(isBare)]) {
      const failure = await expectAppError(read(bytes))
      expect(failure, name).toBeInstanceOf(AppError)
      expect(failure.wire.kind, name).toBe('malformed')
      observedCount += 1
    }
    expect(await read(Buffer.from('{"still":"here"}'))).toEqual({ still: 'here' })
    counted['sent by a host'] = observedCount
  })
})

afterAll(() => figure('json', counted))
