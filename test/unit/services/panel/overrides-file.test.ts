import fc from 'fast-check'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createOverrides, getOverridesPath } from '../../../../electron/services/panel/overrides/overrides.ts'
import { parseOverrides, formatOverrides } from '../../../../electron/services/panel/overrides/overrides-text.ts'
import { Redactor } from '../../../../electron/services/redactor.ts'
import { AppError } from '../../../../shared/errors.ts'
import { OVERRIDES_FILE, type OverrideRule, type OverridesState } from '../../../../shared/panel/overrides.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { tokenEncodings } from '../../../support/data/token-encodings.ts'

const rule = (id: string, more: Partial<OverrideRule> = {}): OverrideRule => ({
  id,
  name: `Rule ${id}`,
  on: true,
  match: { method: 'GET', path: '/notes/{noteid}' },
  answer: { kind: 'canned', status: 200, headers: [], body: '{}', base64: false },
  delayMs: 0,
  ...more,
})

const opened: { close(): void }[] = []
afterEach(() => opened.splice(0).forEach((one) => one.close()))

function start(folder = createTempDir()) {
  const redactor = new Redactor()
  redactor.register(TOKEN)
  const states: OverridesState[] = []
  const dataDir = createTempDir()
  const overrides = createOverrides({
    dataDir,
    holdsToken: (text) => redactor.holdsToken(text),
    store: { exchange: () => null, body: () => null },
    onChange: (state) => states.push(state),
  })
  opened.push(overrides)
  overrides.open({ kind: 'folder', path: folder })
  return { overrides, states, folder, dataDir, file: path.join(folder, OVERRIDES_FILE) }
}

function codeOf(act: () => unknown): string | undefined {
  try {
    act()
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
  return undefined
}

describe('the file', () => {
  test('is not made before there is a rule, is plain text for a team, and is read by the next one who opens it', () => {
    const { overrides, file, folder } = start()
    expect(overrides.state()).toEqual({ rules: [], file, problems: [] })
    overrides.save([])
    expect(existsSync(file)).toBe(false)
    // The members arrive in another order.
    const { id, ...rest } = rule('a')
    expect(overrides.save([{ ...rest, id }]).rules).toEqual([rule('a')])
    expect(readFileSync(file, 'utf8')).toBe(`{
  "version": 1,
  "rules": [
    {
      "id": "a",
      "name": "Rule a",
      "on": true,
      "match": {
        "method": "GET",
        "path": "/notes/{noteid}"
      },
      "answer": {
        "kind": "canned",
        "status": 200,
        "headers": [],
        "body": "{}",
        "base64": false
      },
      "delayMs": 0
    }
  ]
}
`)
    expect(statSync(file).mode & 0o777).toBe(0o644)
    expect(start(folder).overrides.state().rules).toEqual([rule('a')])
  })

  test('keeps what is no rule untouched and in its place, with what else the file has', () => {
    const folder = createTempDir()
    const file = path.join(folder, OVERRIDES_FILE)
    const odd = '{ "odd":   12345678901234567890,\n "id": "x" }'
    const exact = JSON.stringify({
      ...rule('big'),
      answer: { kind: 'change', changes: [{ do: 'set', at: '/id', value: 1 }] },
    }).replace('"value":1', '"value":12345678901234567890')
    writeFileSync(
      file,
      `\uFEFF{"$comment": "ours", "version": 1, "rules": [${JSON.stringify(rule('a'))}, ${odd}, 5, ${JSON.stringify(rule('b'))}, ${exact}], "more": [1.0]}`,
    )
    const { overrides } = start(folder)
    expect(overrides.state().rules.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(overrides.state().problems).toEqual([
      { index: 1, message: expect.any(String) },
      { index: 2, message: 'expected an object' },
      { index: 4, message: '/answer/changes/0/value: 12345678901234567890 would be rounded to 12345678901234567000' },
    ])
    overrides.save([rule('b'), rule('a'), rule('c')])
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(odd)
    expect(text).toContain(exact)
    expect(text).toContain('{"$comment": "ours", "version": 1, "rules": [\n    {')
    expect(text).toContain('], "more": [1.0]}')
    const order = (JSON.parse(text) as { rules: unknown[] }).rules.map((one) =>
      typeof one === 'object' && one !== null && 'id' in one ? one.id : one,
    )
    expect(order).toEqual(['b', 'x', 5, 'a', 'big', 'c'])
  })

  test('may leave out id, on and delayMs, and may repeat an id', () => {
    const { match, answer } = rule('a')
    const text = JSON.stringify({ version: 1, rules: [{ name: 'By hand', match, answer }, rule('a'), rule('a')] })
    const read = parseOverrides(text, () => false)
    if ('damage' in read) throw new Error(read.damage)
    expect(read.rules).toEqual([{ ...rule('rule-1'), name: 'By hand' }, rule('a'), { ...rule('a'), id: 'a-2' }])
  })

  test.each([
    ['text that is no JSON', '{"version": 1, "rules": ['],
    ['another version', '{"version": 2, "rules": []}'],
    ['a list', '[]'],
    ['an abyss', `{"version": 1, "rules": [${'['.repeat(5_000)}`],
  ])('is never written over: %s', (_, text) => {
    const folder = createTempDir()
    const file = path.join(folder, OVERRIDES_FILE)
    writeFileSync(file, text)
    const { overrides } = start(folder)
    expect(overrides.state().rules).toEqual([])
    expect(overrides.state().problems).toEqual([{ index: -1, message: expect.any(String) }])
    expect(codeOf(() => overrides.save([rule('a')]))).toBe('OVERRIDES_DAMAGED')
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('may be anything in the way', () => {
    const folder = createTempDir()
    mkdirSync(path.join(folder, OVERRIDES_FILE))
    const { overrides } = start(folder)
    expect(overrides.state().problems).toEqual([{ index: -1, message: 'it is a directory' }])
    expect(codeOf(() => overrides.save([rule('a')]))).toBe('OVERRIDES_DAMAGED')
  })

  test('is read again when somebody else writes, replaces or removes it', async () => {
    const { overrides, states, file } = start()
    overrides.save([rule('a')])
    const others = (rules: OverrideRule[]): string => formatOverrides(null, rules, [])
    writeFileSync(file, others([rule('b')]))
    await vi.waitFor(() => expect(states.at(-1)?.rules).toEqual([rule('b')]), { timeout: 20_000 })
    writeFileSync(`${file}.new`, others([rule('c')]))
    renameSync(`${file}.new`, file)
    await vi.waitFor(() => expect(states.at(-1)?.rules).toEqual([rule('c')]), { timeout: 20_000 })
    expect(overrides.findRule('GET', '/notes/N')?.id).toBe('c')
    writeFileSync(file, '{"version"')
    await vi.waitFor(() => expect(states.at(-1)?.problems).toHaveLength(1), { timeout: 20_000 })
    expect(overrides.findRule('GET', '/notes/N')).toBeNull()
    rmSync(file)
    await vi.waitFor(() => expect(states.at(-1)).toMatchObject({ rules: [], problems: [] }), { timeout: 20_000 })
  })

  test('is read again although it changed before it was first looked at', async () => {
    const { file, states } = start()
    writeFileSync(file, formatOverrides(null, [rule('b')], []))
    await vi.waitFor(() => expect(states.at(-1)?.rules).toEqual([rule('b')]))
  })

  test('is not written over what somebody else has just written', () => {
    const { overrides, states, file } = start()
    overrides.save([rule('a')])
    const theirs = formatOverrides(null, [rule('theirs')], [])
    writeFileSync(file, theirs)
    expect(codeOf(() => overrides.save([rule('mine')]))).toBe('OVERRIDES_CHANGED')
    expect(readFileSync(file, 'utf8')).toBe(theirs)
    expect(states.at(-1)?.rules).toEqual([rule('theirs')])
    expect(overrides.save([rule('theirs'), rule('mine')]).rules).toHaveLength(2)
  })

  test('never holds a token, and one that does is not shown', () => {
    fc.assert(
      fc.property(tokenEncodings, (write) => {
        const { overrides, file, folder } = start()
        const body = `before ${write(TOKEN)} after`
        const holding = rule('t', { answer: { kind: 'canned', status: 200, headers: [], body, base64: false } })
        expect(codeOf(() => overrides.save([holding]))).toBe('TOKEN_IN_REQUEST')
        expect(existsSync(file)).toBe(false)
        writeFileSync(file, formatOverrides(null, [rule('a'), holding], []))
        const again = start(folder).overrides
        expect(again.state()).toMatchObject({
          rules: [rule('a')],
          problems: [{ index: 1, message: 'it contains a token' }],
        })
        again.save([rule('b')])
        expect(parseOverrides(readFileSync(file, 'utf8'), () => false)).toMatchObject({ rules: [rule('b'), holding] })
      }),
      { numRuns: 20 },
    )
  })

  test('keeps its permissions', () => {
    const { overrides, file } = start()
    overrides.save([rule('a')])
    const mode = statSync(file).mode & 0o777
    overrides.save([rule('b')])
    expect(statSync(file).mode & 0o777).toBe(mode)
  })
})

describe('the rules of other panels', () => {
  test('are in the data directory, each in a file of its own', () => {
    const { overrides, dataDir } = start()
    const sources = [
      { kind: 'server', url: 'http://127.0.0.1:5173/' },
      { kind: 'server', url: 'http://127.0.0.1:5173/other/../?x=<y>' },
      { kind: 'server', url: 'http://[::1]:5173/' },
      { kind: 'sample', name: 'practice' },
    ] as const
    const files = sources.map((source) => getOverridesPath(dataDir, source))
    expect(new Set(files).size).toBe(sources.length)
    for (const [at, source] of sources.entries()) {
      overrides.open(source)
      overrides.save([rule('a')])
      expect(path.dirname(files[at] ?? '')).toBe(path.join(dataDir, 'panel-overrides'))
      expect(statSync(files[at] ?? '').mode & 0o777).toBe(0o600)
      expect(path.basename(files[at] ?? '')).toMatch(/^[\w.-]+\.json$/)
    }
  })

  test('need a panel', () => {
    const { overrides } = start()
    overrides.open(null)
    expect(overrides.state()).toEqual({ rules: [], file: '', problems: [] })
    expect(codeOf(() => overrides.save([rule('a')]))).toBe('NO_PANEL')
  })
})

test('whatever rules are saved are read back as they were', () => {
  const anyText = fc.string({ maxLength: 20 })
  const answer: fc.Arbitrary<OverrideRule['answer']> = fc.oneof(
    fc.record({
      kind: fc.constant('change' as const),
      changes: fc.array(
        fc.record({
          do: fc.constant('set' as const),
          at: anyText.map((text) => `/${text}`),
          value: fc.jsonValue({ maxDepth: 2 }),
        }),
      ),
    }),
    fc.record({
      kind: fc.constant('canned' as const),
      status: fc.integer({ min: 200, max: 599 }),
      headers: fc.constant<[string, string][]>([['X-A', 'b']]),
      body: anyText,
      base64: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('fault' as const), fault: fc.constantFrom('hang' as const, 'cut' as const) }),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(answer, fc.boolean(), fc.nat({ max: 600_000 })), { maxLength: 5 }), (made) => {
      const rules = made.map(([one, on, delayMs], at) => rule(`r${at}`, { answer: one, on, delayMs }))
      const text = formatOverrides(null, rules, [])
      const read = parseOverrides(text, () => false)
      expect('damage' in read ? read : JSON.parse(JSON.stringify(read.rules))).toEqual(
        JSON.parse(JSON.stringify(rules)),
      )
    }),
  )
})
