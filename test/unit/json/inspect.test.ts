import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonFindingList, MAX_JSON_FINDINGS, type JsonFinding } from '../../../shared/json/findings.ts'
import { inspectJson } from '../../../shared/json/inspection.ts'
import { MAX_JSON_DEPTH, scanJson } from '../../../shared/json/scan.ts'

const inspect = (text: string) => inspectJson(Buffer.from(text))
const listFindings = <K extends JsonFinding['kind']>(text: string, kind: K) =>
  inspect(text).findings.filter((finding): finding is Extract<JsonFinding, { kind: K }> => finding.kind === kind)

/** The value at a JSON pointer. */
function resolve(value: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce<unknown>(
    (inner, step) => (inner as Record<string, unknown>)[step.replace(/~1/g, '/').replace(/~0/g, '~')],
    value,
  )
}

const key = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('a/b', 'a~b', '~1', '', 'x"y', 'back\\slash', '0', 'noteid', '标题'),
)

/** A value with marks, so that findings can be planted there. */
const MARK = '\u0001mark\u0001'
const marked = fc
  .letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constant(MARK),
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(key, tie('any'), { maxKeys: 5 }),
    ),
  }))
  .any.filter((value) => JSON.stringify(value).includes(JSON.stringify(MARK)))

function marks(value: unknown, path = ''): string[] {
  if (value === MARK) return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    marks(inner, `${path}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`),
  )
}

const plant = (value: unknown, raw: string, space?: number): string =>
  JSON.stringify(value, null, space).replaceAll(JSON.stringify(MARK), () => raw)

describe('inspectJson', () => {
  test('safety 37: finds a number that a double cannot hold, with its pointer and text', () => {
    // 10^40 is not a double either, but is written like the double it becomes: nothing is lost on
    // screen.
    const big = fc.oneof(
      fc
        .bigInt({ min: 2n ** 53n + 1n, max: 10n ** 40n })
        .filter((n) => BigInt(Number(n)) !== n && n % 10n !== 0n)
        .map(String),
      fc.constantFrom('1e400', '-1E+999', '0.1000000000000000055511151231257827', '123456789012345678.25', '1e-400'),
    )
    fc.assert(
      fc.property(marked, big, fc.constantFrom(undefined, 2), (value, raw, space) => {
        const text = plant(value, raw, space)
        const findings = listFindings(text, 'unsafe-number')
        expect(findings.map(({ path }) => path).sort()).toEqual(marks(value).sort())
        for (const finding of findings) {
          expect(finding.raw).toBe(raw)
          expect(finding.rounded).toBe(String(Number(raw)))
          expect(text.slice(finding.offset, finding.offset + raw.length)).toBe(raw)
        }
      }),
    )
  })

  test('safety 37: finds strange characters of every kind, literal or escaped', () => {
    const parts = ['a', '细', '\u202e', '\u2066', '\ud83d\ude00', '\ud800', '\udc00', '\\', '"', '\\u202e', '\u2065']
    const part = fc.constantFrom(...parts)
    const escaped = (text: string): string =>
      text.replace(/[\u2065-\uffff]|[\u202a-\u202e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).toUpperCase()}`)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(part, { maxLength: 4 }), fc.boolean()), { maxLength: 12 }), (list) => {
        const texts = list.map(([chars]) => chars.join(''))
        const writtenTexts = list.map(([chars, escapes]) =>
          escapes ? escaped(JSON.stringify(chars.join(''))) : `"${chars.join('').replace(/[\\"]/g, '\\$&')}"`,
        )
        const findings = new JsonFindingList()
        scanJson(`[${writtenTexts.join(',')}]`, findings)
        const pathsOf = (kind: string): string[] =>
          findings.items.flatMap((item) => (item.kind === kind && 'path' in item ? [item.path] : []))
        const listPointers = (has: (text: string) => boolean): string[] =>
          texts.flatMap((text, n) => (has(text) ? [`/${n}`] : []))
        expect(pathsOf('bidi-control')).toEqual(listPointers((text) => /[\u202a\u202e\u2066]/.test(text)))
        expect(pathsOf('lone-surrogate')).toEqual(listPointers((text) => !text.isWellFormed()))
      }),
      { numRuns: 500 },
    )
  })

  test('safety 37: does not report a number that keeps its value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.double({ noNaN: true, noDefaultInfinity: true }), (value, number) => {
        expect(
          listFindings(JSON.stringify([value, number, 1e21, 5e-324, 0.1, 123456789012345680000]), 'unsafe-number'),
        ).toEqual([])
      }),
    )
    expect(
      listFindings(
        '[1.0, 1.50e1, 100000000000000000000, -0, 0e9, 9007199254740992, 0.10000000000000000]',
        'unsafe-number',
      ),
    ).toEqual([])
    expect(listFindings('[9007199254740993]', 'unsafe-number')).toEqual([
      { kind: 'unsafe-number', path: '/0', raw: '9007199254740993', rounded: '9007199254740992', offset: 1 },
    ])
  })

  test('safety 37: finds a duplicate key with its pointer and both positions', () => {
    fc.assert(
      fc.property(marked, key, fc.integer({ min: 0, max: 40 }), fc.boolean(), (value, name, between, escaped) => {
        const first = JSON.stringify(name)
        const code = first.charCodeAt(1).toString(16).padStart(4, '0')
        const second =
          escaped && /^"[\x20-\x7e]/.test(first) && !/^"[\\"]/.test(first) ? `"\\u${code}${first.slice(2)}` : first
        const others = Array.from({ length: between }, (_, n) =>
          `"\u0002${n}":{${first}:0}`.replace('\u0002', '\\u0002'),
        )
        const raw = `{${[`${first}:1`, ...others, `${second} :2`].join(',')}}`
        const text = plant(value, raw)
        const findings = listFindings(text, 'duplicate-key')
        const step = name.replace(/~/g, '~0').replace(/\//g, '~1')
        expect(findings.map(({ path }) => path).sort()).toEqual(
          marks(value)
            .map((path) => `${path}/${step}`)
            .sort(),
        )
        for (const { key: message, offsets } of findings) {
          expect(message).toBe(name)
          expect(text.startsWith(`${first}:1`, offsets[0])).toBe(true)
          expect(text.startsWith(`${second} :2`, offsets[1])).toBe(true)
        }
      }),
    )
  })

  test('safety 37: does not report names that recur in other objects, or alternate', () => {
    const row = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'aa', 'ab'), fc.jsonValue({ maxDepth: 1 }))
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        expect(listFindings(JSON.stringify({ a: rows, b: { a: rows } }), 'duplicate-key')).toEqual([])
      }),
    )
  })

  test('safety 37: reports two of three equal names, also after rows of the same shape', () => {
    const text = '[{"a":1,"b":2},{"a":1,"b":2},{"a":1,"b":2,"a":3,"a":4},{"a":1,"b":2}]'
    expect(listFindings(text, 'duplicate-key').map(({ path }) => path)).toEqual(['/2/a', '/2/a'])
    expect(inspect(text).value).toEqual(JSON.parse(text))
  })

  test('safety 37: finds bidi controls and lone surrogates, literal or escaped, in values and names', () => {
    fc.assert(
      fc.property(marked, fc.constantFrom('\u202e', '\\u202E', '\u2066', '\\u2069'), (value, char) => {
        const findings = listFindings(plant(value, `"a ${char} b"`), 'bidi-control')
        expect(findings.map(({ path }) => path).sort()).toEqual(marks(value).sort())
      }),
    )
    expect(listFindings('{"x":"\\uD83D and \\ude00"}', 'lone-surrogate')).toEqual([
      { kind: 'lone-surrogate', path: '/x', offset: 5 },
    ])
    expect(listFindings('{"x":"\\uD83D\\ude00 😀", "y":"\\\\ud83d"}', 'lone-surrogate')).toEqual([])
    expect(listFindings('{"a\u202eb":1}', 'bidi-control')).toEqual([
      { kind: 'bidi-control', path: '/a\u202eb', offset: 1 },
    ])
    expect(listFindings('{"x":"\u202e \\uD800","y":"\u202e"}', 'bidi-control').map(({ path }) => path)).toEqual([
      '/x',
      '/y',
    ])
  })

  test('safety 37: replaces invalid UTF-8 and reports the offset of its first byte', () => {
    const bad = fc.constantFrom(
      [0xff],
      [0xc3, 0x28],
      [0xc0, 0xaf],
      [0xe2, 0x82],
      [0xed, 0xa0, 0x80],
      [0xf5, 0x80],
      [0x80],
    )
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), bad, (before, bytes) => {
        const head = Buffer.from(`{"a":${JSON.stringify(before).slice(0, -1)}`)
        const {
          findings,
          value,
          isValid: ok,
        } = inspectJson(Buffer.concat([head, Buffer.from(bytes), Buffer.from('"}')]))
        expect(findings).toContainEqual({ kind: 'invalid-utf8', offset: head.length })
        expect(ok).toBe(true)
        expect((value as { a: string }).a).toContain('\ufffd')
      }),
    )
  })

  test('safety 37: reports the same offset as a strict decoder', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 12 }), (bytes) => {
        const { findings } = inspectJson(bytes)
        const invalidUtf8 = findings.find((finding) => finding.kind === 'invalid-utf8')
        const accepts = (end: number): boolean => {
          try {
            new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end))
            return true
          } catch {
            return false
          }
        }
        expect(invalidUtf8 === undefined).toBe(accepts(bytes.length))
        if (invalidUtf8) {
          expect(accepts(invalidUtf8.offset)).toBe(true)
          for (let end = invalidUtf8.offset + 1; end <= invalidUtf8.offset + 4; end += 1) {
            if (end <= bytes.length) expect(accepts(end) && end > invalidUtf8.offset).toBe(false)
          }
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('safety 33: removes and reports a byte order mark', () => {
    expect(inspectJson(Buffer.from('\ufeff{"a":1}'))).toMatchObject({
      isValid: true,
      value: { a: 1 },
      text: '{"a":1}',
      findings: [{ kind: 'bom' }],
    })
  })

  test('safety 37: limits the depth before anything is parsed', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(inspect(nested(MAX_JSON_DEPTH)).isValid).toBe(true)
    expect(inspect(nested(MAX_JSON_DEPTH + 1))).toMatchObject({
      isValid: false,
      value: undefined,
      findings: [{ kind: 'too-deep', depth: MAX_JSON_DEPTH + 1 }],
    })
    expect(inspect('['.repeat(5_000_000)).findings).toContainEqual({ kind: 'too-deep', depth: MAX_JSON_DEPTH + 1 })
  })

  test('safety 33: reports text that is not JSON only as that, and keeps it', () => {
    expect(inspect('{"a":1,"a":12345678901234567890')).toMatchObject({
      isValid: false,
      text: '{"a":1,"a":12345678901234567890',
      findings: [{ kind: 'not-json' }],
      findingTotal: 1,
    })
  })

  test('returns the value of JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(inspect(text)).toMatchObject({ isValid: true, text })
        expect(inspect(text).value).toEqual(JSON.parse(text))
      }),
    )
  })

  test('reports pointers that lead to their values', () => {
    fc.assert(
      fc.property(marked, (value) => {
        const text = plant(value, '12345678901234567891')
        const parsed = inspect(text)
        for (const finding of parsed.findings) {
          if (finding.kind === 'unsafe-number') expect(resolve(parsed.value, finding.path)).toBe(12345678901234567000)
        }
      }),
    )
  })

  test('safety 33: never throws', () => {
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', '1e9', '-', '12345678901234567890', '\\u202e', 'x', ' '),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => void inspectJson(bytes)),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(pieces, (parts) => void inspect(parts.join(''))),
      { numRuns: 2000 },
    )
  })

  test('limits the number of findings and the length of their pointers', () => {
    const long = 'k'.repeat(100_000)
    const numbers = Array.from({ length: 5000 }, () => '12345678901234567890').join(',')
    const { findings, findingTotal } = inspect(`{"${long}":[${numbers}]}`)
    expect(findings).toHaveLength(MAX_JSON_FINDINGS)
    expect(findingTotal).toBe(5000)
    expect(JSON.stringify(findings).length).toBeLessThan(2_000_000)
  })
})
