import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Forest } from '../../../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../../../renderer/model/tree/tree-reader.ts'
import type { TreeChunk } from '../../../../../renderer/model/tree/tree-chunk.ts'
import { UnknownNodesError } from '../../../../../renderer/workers/tree-protocol.ts'
import { PackedBytes, TreeSession } from '../../../../../renderer/workers/tree-session.ts'
import { NodeIdNormalizer } from '../../../../../shared/bridge/node-ids.ts'
import { decodeUtf8 } from '../../../../../shared/json/utf8.ts'

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const uuid = (n: number): string => `BE2A4808-0000-4000-8000-${n.toString(16).toUpperCase().padStart(12, '0')}`

/** Everything a forest says about its cards. */
function summarize(chunks: readonly TreeChunk[]): unknown {
  const forest = new Forest()
  for (const chunk of chunks) forest.appendChunk(chunk)
  forest.finishLoading(true)
  const cards = Array.from({ length: forest.count }, (_, n) => ({
    id: forest.getNoteid(n),
    title: forest.getTitle(n),
    hasTitle: forest.hasTitle(n),
    parent: forest.getParent(n),
    next: forest.getNextSibling(n),
    subMap: forest.isSubMap(n),
    duplicate: forest.isDuplicate(n),
    docPage: forest.getDocPage(n),
    docBook: forest.getDocBook(n),
  }))
  return { cards, problems: forest.problems, waiting: forest.pendingCount }
}

type Outcome = { readonly said: unknown; readonly found: unknown } | { readonly failed: string }

/** What is searched for after reading: titles and ids that are likely to be there. */
const sought = ['a', 'ß', '"', uuid(1), uuid(2).slice(0, 20), uuid(2).toLowerCase(), 'odd', '\n', '\u0000', '\ufffd']

function outcome(pages: readonly Uint8Array[], read: (pages: readonly Uint8Array[]) => Reading): Outcome {
  try {
    const { chunks, search, indexOf } = read(pages)
    const matches = sought.map((text) => [text, [...search(text)], indexOf(text)])
    return { said: summarize(chunks), found: matches }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

interface Reading {
  readonly chunks: readonly TreeChunk[]
  search(text: string): Uint32Array
  indexOf(text: string): number
}

/** The reference: each page decoded and parsed as a whole. */
function parsed(pages: readonly Uint8Array[]): Reading {
  const reader = new TreeReader(uuid(3))
  const naming = new NodeIdNormalizer()
  const chunks = pages.map((bytes) => {
    const value = JSON.parse(decodeUtf8(bytes).text) as { nodes?: unknown } | null
    const nodes = value?.nodes
    if (Array.isArray(value) || !Array.isArray(nodes)) throw new Error('the answer holds no array "nodes"')
    const namedNodes = naming.nameNodes(nodes)
    if (namedNodes === null) throw new UnknownNodesError(new ArrayBuffer(0))
    return reader.addNodes(namedNodes)
  })
  return { chunks, search: (text) => reader.search(text), indexOf: (text) => reader.indexOf(text) }
}

function session(pages: readonly Uint8Array[]): Reading {
  const tree = new TreeSession(uuid(3))
  const chunks = pages.map((bytes) => tree.addPage(bytes.slice().buffer, () => undefined))
  return { chunks, search: (text) => tree.search(text, Infinity), indexOf: (text) => tree.indexOf(text) }
}

it.each([
  ['plain bytes', (title: string) => `{"noteid":"${uuid(1)}"${title}}`],
  ['a node that is parsed', (title: string) => `{"noteid":"odd \\u0041"${title},"title2":1}`],
])('%s tell a title that was sent as empty from one that was not sent', (_case, toNode) => {
  const titles = [
    '',
    ',"title":""',
    ',"title":null',
    ',"title":7',
    ',"title":"A","subMapId":"S"',
    ',"subMapId":"S","title":""',
  ]
  const { chunks } = session([bytesOf(`{"nodes":[${titles.map(toNode).join(',')}]}`)])
  const forest = new Forest()
  for (const chunk of chunks) forest.appendChunk(chunk)
  const id = forest.getNoteid(0)
  expect(titles.map((_title, node) => forest.formatTitle(node, 'untitled'))).toEqual([
    id,
    'untitled',
    'untitled',
    id,
    'A',
    'untitled',
  ])
  expect([4, 5].map((node) => forest.isSubMap(node))).toEqual([true, true])
  forest.setTitle(0, 'B')
  expect(forest.formatTitle(0, 'untitled')).toBe('B')
})

it('a root whose parent is the study set is none without a parent, whether or not the page names the set', () => {
  for (const topicid of ['T', uuid(9)]) {
    const tree = new TreeSession('', topicid)
    const nodes = JSON.stringify({
      nodes: [
        { noteid: uuid(1), parent: topicid },
        { noteid: uuid(2), parent: 'gone' },
      ],
    })
    const forest = new Forest()
    forest.appendChunk(tree.addPage(bytesOf(nodes).buffer, () => undefined))
    forest.finishLoading(true)
    expect(forest.problems['unknown-parent']).toEqual([1])
  }
})

const anyId = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 5 }).map((n) => JSON.stringify(uuid(n))) },
  fc.integer({ min: 0, max: 5 }).map((n) => JSON.stringify(uuid(n).toLowerCase())),
  fc.constantFrom('"odd"', '""', 'null', '7', '"\\u0042E2A4808-0000-4000-8000-000000000001"', '"\\ud800"', '[]'),
  fc.constantFrom('"BE2A4808-0000-4000-8000-00000000000"', '"BE2A4808-0000-4000-8000-0000000000011"', '"{}"'),
  fc.constantFrom('"BE2A4808 0000-4000-8000-000000000001"', '"GE2A4808-0000-4000-8000-000000000001"'),
)
/** Mostly valid JSON: a page with any broken part is refused as a whole, and says little. */
const mostly = (valid: fc.Arbitrary<string>, ...broken: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 60, arbitrary: valid }, { weight: 1, arbitrary: fc.constantFrom(...broken) })

const anyTitle = mostly(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"a\\nb"', '"\\u0000"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\/\\b\\f\\r\\t\\"\\\\"', '"\ufeffa"'),
    fc.constantFrom('null', '7', 'true', '{}', '"İß"', '"ΑΣ"'),
  ),
  ...['"a\nb"', '"\\x"', '"\\u12g4"', '"\u0000"', '"a'],
)
const anyNumber = mostly(
  fc.constantFrom(
    ...['0', '3', '12', '-1', '1.5', '1e2', '1E+2', '-0', '4294967295', '4294967296', '999999999', '1234567890'],
    ...['1e400', 'null', '"3"', '12.0', '120e-1', '0.5', '[]'],
  ),
  ...['01', '1.', '.5', '+1', '1e', '-', 'NaN', '0x1'],
)
const anyOther = mostly(
  fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc.constantFrom('[1,{"a":[]}]', '"\\ud800"', `${'['.repeat(30)}${']'.repeat(30)}`),
  ),
  ...['[', '{"a":}', '[1,]', '{"a":1,}', 'tru', 'nul', 'falsy', '[1 2]', '{1:2}'],
)
const anyMember = fc.oneof(
  { weight: 8, arbitrary: anyId.map((value) => ['"noteid"', value]) },
  { weight: 6, arbitrary: anyId.map((value) => ['"parent"', value]) },
  { weight: 6, arbitrary: anyTitle.map((value) => ['"title"', value]) },
  fc.oneof(anyId, anyTitle).map((value) => ['"subMapId"', value]),
  fc.tuple(fc.constant('"docBookmd5"'), fc.constantFrom('null', '""', '"B1"', '"B2"', '"B\\u0031"', '"ß"', '7', '"B1')),
  fc.tuple(fc.constantFrom('"docPage"', '"depth"', '"childCount"'), anyNumber),
  fc.tuple(fc.constantFrom('"docBookmd5"', '"depth"', '"childCounT"'), fc.oneof(anyTitle, anyOther)),
  fc.tuple(
    fc.constantFrom('"colorIndex"', '"nodes"', '"Noteid"', '"titlE"', '"docPags"', '""', '"__proto__"'),
    anyOther,
  ),
  fc.tuple(mostly(fc.constantFrom('"note\\u0069d"', '"\\u0074itle"'), '"t\\itle"', 'title', "'title'"), anyTitle),
)
const blank = mostly(fc.constantFrom('', '', '', ' ', '\n', '\r\n\t '), '\u00a0', '\f')
const usual = fc
  .tuple(fc.nat(5), fc.option(fc.nat(5)), fc.string({ maxLength: 6 }), fc.nat(20))
  .map(([id, parent, title, docPage]) =>
    JSON.stringify({ noteid: uuid(id), parent: parent === null ? null : uuid(parent), depth: 1, title, docPage }),
  )
const anyObject = fc.tuple(fc.array(anyMember, { maxLength: 5 }), blank).map(([members, gap]) => {
  const texts = members.map(([name, value]) => `${name ?? ''}${gap}:${gap}${value ?? ''}`)
  return `{${gap}${texts.join(`${gap},${gap}`)}${gap}}`
})
const anyNode = fc.oneof(
  { weight: 4, arbitrary: usual },
  { weight: 4, arbitrary: anyObject },
  { weight: 1, arbitrary: anyOther },
)
const anyHead = mostly(
  fc.constantFrom('"topicid":"T"', '"nodeTotal":3', '"nodeTotal":"3"', '"nextCursor":"c"', '"a":{"nodes":[1]}'),
  ...['"nodes":[]', '"nodes":1', '"n\\u006fdes":[]', '"b":[1,2', '"nodes"'],
)
const anyHeads = fc.array(anyHead, { maxLength: 2 })
const anyPage = fc
  .tuple(fc.array(anyNode, { maxLength: 8 }), anyHeads, anyHeads, blank, mostly(fc.constant(''), ']', '}', ',', '1'))
  .map(([nodes, before, after, gap, end]) => {
    const members = [...before, `"nodes":${gap}[${gap}${nodes.join(`${gap},${gap}`)}${gap}]${gap}`, ...after]
    return `${gap}{${members.join(',')}}${gap}${end}`
  })
const strangeBytes = fc.constantFrom(0x80, 0xc3, 0xe7, 0xf0, 0xff, 0xed, 0x22, 0x5c, 0x2c, 0x00, 0xef)
const strange = fc.array(fc.tuple(fc.nat(), strangeBytes), { maxLength: 3 })
/** Some pages hold bytes that are no UTF-8, or are cut. */
const anyBytes = fc
  .tuple(anyPage, fc.option(strange, { freq: 1 }), fc.option(fc.nat(), { freq: 1, nil: null }), fc.nat(9))
  .map(([text, changes, cut, which]) => {
    const bytes = bytesOf(text)
    if (which < 4) for (const [index, byte] of changes ?? []) bytes[index % bytes.length] = byte
    return cut === null || which > 0 ? bytes : bytes.slice(0, cut % (bytes.length + 1))
  })

describe('a page read directly from its bytes', () => {
  it('equals the parsed page', () => {
    fc.assert(
      fc.property(fc.array(anyBytes, { minLength: 1, maxLength: 3 }), (pages) => {
        expect(outcome(pages, session)).toEqual(outcome(pages, parsed))
      }),
      { numRuns: 1500 },
    )
  })

  it('has the same head as the parsed page', () => {
    fc.assert(
      fc.property(anyPage, (text) => {
        const heads: unknown[] = []
        const plain: unknown[] = []
        const read = (bytes: Uint8Array<ArrayBuffer>, into: unknown[]): void => {
          try {
            new TreeSession('').addPage(bytes.buffer, (head) => into.push(head))
          } catch {
            into.push('failed')
          }
        }
        read(bytesOf(text), heads)
        // A byte order mark has the whole page parsed.
        read(bytesOf(`\ufeff${text}`), plain)
        expect(heads).toEqual(plain)
      }),
      { numRuns: 600 },
    )
  })

  it('is read without parsing the usual nodes, even with unusual ones among them', () => {
    const nodes = Array.from(
      { length: 50 },
      (_, n) => `{"noteid":"${uuid(n)}","parent":null,"title":"细胞 ${n}","tags":["x"]}`,
    )
    nodes[7] = '{"noteid":"odd","title":"\\ud800"}'
    const reader = new TreeReader()
    const page = reader.readPage(bytesOf(`{"nodeTotal":50,"nodes":[${nodes.join(',')}],"nextCursor":"c"}`))
    expect(page?.value).toEqual({ nodeTotal: 50, nodes: [], nextCursor: 'c' })
    const forest = new Forest()
    forest.appendChunk(reader.linkNodes())
    expect([forest.getTitle(6), forest.getNoteid(6)]).toEqual(['细胞 6', uuid(6)])
    expect([forest.getTitle(7), forest.getNoteid(7)]).toEqual(['\ud800', 'odd'])
  })

  it('may have any length, with a parent on a later page', () => {
    const sizes = [3000, 40, 7000]
    let first = 0
    const pages = sizes.map((size) => {
      const nodes = Array.from({ length: size }, (_, n) => ({
        noteid: n % 500 === 499 ? `odd ${first + n}` : uuid(first + n),
        parent: n % 7 === 0 ? null : n % 900 === 5 ? uuid(first + n + 4000) : uuid(first + n - (n % 7)),
        title: `Card ${first + n} ${n % 600 === 9 ? '\ud800' : '细胞'}`,
      }))
      first += size
      return bytesOf(JSON.stringify({ nodes }))
    })
    const read = outcome(pages, session)
    expect(read).toEqual(outcome(pages, parsed))
    expect(read).toMatchObject({ said: { problems: { 'duplicate-id': [], 'self-parent': [] } } })
  })

  it('is left to the parser if all its nodes are unusual', () => {
    const nodes = Array.from({ length: 500 }, (_, n) => `{"noteid":"odd ${n}"}`)
    expect(new TreeReader().readPage(bytesOf(`{"nodes":[${nodes.join(',')}]}`))).toBeNull()
  })

  it.each(['-1', '5000.5', '1e300', '0'])('may announce %s cards', (total) => {
    const page = bytesOf(`{"nodeTotal":${total},"nodes":[{"noteid":"${uuid(1)}","title":"x"}]}`)
    const tree = new TreeSession('')
    const forest = new Forest()
    const chunk = tree.addPage(page.buffer, (head) => forest.reserve(head.nodeTotal ?? 0))
    forest.appendChunk(chunk)
    expect([forest.count, forest.getTitle(0), tree.indexOf(uuid(1))]).toEqual([1, 'x', 0])
  })

  it('keeps room for later titles when decoding makes titles longer', () => {
    const wide = bytesOf(
      `{"nodes":[{"noteid":"odd","title":"${'?'.repeat(3000)}"},{"noteid":"${uuid(1)}","title":"${'b'.repeat(900)}"}]}`,
    )
    wide.forEach((byte, index) => {
      if (byte === 63) wide[index] = 0xff
    })
    expect(outcome([wide], session)).toEqual(outcome([wide], parsed))
  })

  it('returns the text of a card byte for byte, before and after packing', async () => {
    const nodes = Array.from(
      { length: 400 },
      (_, n) => `{ "noteid":"${uuid(n)}","title":"\\u7ec6 ${n}", "n":1.${'0'.repeat(1 + (n % 30))}, "title":"twice" }`,
    )
    const page = bytesOf(`{"nodes":[${nodes.join(' , ')}]}`)
    const tree = new TreeSession('')
    tree.addPage(page.slice().buffer, () => undefined)
    const source = (): Promise<(string | null)[]> => Promise.all([0, 7, 399, 400].map((n) => tree.getNodeSource(n)))
    const before = await source()
    expect(before).toEqual([nodes[0], nodes[7], nodes[399], null])
    const { size } = tree
    const first = await tree.auditPage(0)
    expect(tree.size).toBeLessThan(size / 5)
    expect(await source()).toEqual(before)
    // Whoever looks again finds the same.
    expect(await tree.auditPage(0)).toEqual(first)
    expect(first.total).toBe(400)
  })

  it('is neither checked nor compressed again where the tree before had the same page', async () => {
    const toPage = (title: string): Uint8Array<ArrayBuffer> =>
      bytesOf(`{"nodes":[{"noteid":"${uuid(title.length)}","title":"${title.repeat(50)}","title":"twice"}]}`)
    const open = async (titles: readonly string[], earlier: TreeSession | null) => {
      const tree = new TreeSession('', '', earlier)
      for (const title of titles) tree.addPage(toPage(title).buffer, () => undefined)
      const findings = []
      for (const page of titles.keys()) findings.push(await tree.auditPage(page))
      return { tree, findings }
    }
    const compress = vi.spyOn(globalThis, 'CompressionStream')
    onTestFinished(() => compress.mockRestore())
    const first = await open(['One', 'Seven'], null)
    expect(compress).toHaveBeenCalledTimes(2)
    expect(first.findings.map(({ total }) => total)).toEqual([1, 1])
    const second = await open(['One', 'Seven'], first.tree)
    expect(second.findings).toEqual(first.findings)
    expect(second.tree.size).toBe(first.tree.size)
    expect(compress).toHaveBeenCalledTimes(2)
    // The page that differs is checked; what was found in the other stands at its new place.
    const changed = await open(['Eleven', 'One'], second.tree)
    expect(compress).toHaveBeenCalledTimes(3)
    expect(changed.findings.map(({ findings }) => findings[0]?.index)).toEqual([0, 1])
    expect(await changed.tree.getNodeSource(1)).toBe(await first.tree.getNodeSource(0))
    // Nothing is kept of a tree that was replaced twice.
    await open(['Seven'], changed.tree)
    expect(compress).toHaveBeenCalledTimes(4)
  })

  it('is the same after packing, for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(300), async (some, times) => {
        const bytes = Uint8Array.from({ length: some.length * times }, (_, index) => some[index % some.length] ?? 0)
        const packed = new PackedBytes(bytes.slice())
        await packed.pack()
        await packed.pack()
        expect(packed.size).toBeLessThanOrEqual(bytes.length)
        expect(Buffer.compare(await packed.read(), bytes)).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  it('is searched by the new title of a card instead of the old one', () => {
    const tree = new TreeSession('')
    tree.addPage(
      bytesOf(
        `{"nodes":[${['One', 'Two', 'Three'].map((title, n) => JSON.stringify({ noteid: uuid(n), title })).join(',')}]}`,
      ).buffer,
      () => undefined,
    )
    expect(tree.setTitle(uuid(1), 'Twenty-two')).toBe(1)
    expect([...tree.search('two', 9)]).toEqual([1])
    expect([...tree.search('TWENTY', 9)]).toEqual([1])
    expect([...tree.search('three', 9)]).toEqual([2])
  })
})

it('reads ids under another name, and does not know the shape of nodes without any', () => {
  const toBytes = (nodes: readonly object[]): ArrayBuffer => bytesOf(JSON.stringify({ nodes })).buffer
  const session = new TreeSession('')
  const heads: unknown[] = []
  const nodes = [{ heading: 'A', id: 'a' }, ...Array.from({ length: 99 }, (_, n) => ({ id: `n${n}`, parent: 'a' }))]
  const chunk = session.addPage(toBytes(nodes), (head) => heads.push(head.findings))
  expect([chunk.problems, session.indexOf('n98'), [...chunk.parents].slice(0, 3)]).toEqual([[], 99, [-1, 0, 0]])
  expect(heads).toEqual([[]])
  const unknown = [{ heading: 'A' }, { heading: 'B' }]
  expect(() => new TreeSession('').addPage(toBytes(unknown), () => undefined)).toThrow(UnknownNodesError)
})
