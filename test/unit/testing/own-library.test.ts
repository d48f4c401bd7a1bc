import { expect, onTestFinished, test } from 'vitest'
import { hostApi, startDemoHost } from '../../../testing/index.ts'
import type { DemoHost, DemoHostOptions, HostApi, Library } from '../../../testing/api.ts'

const library: Library = {
  studySets: [
    { id: 'history', title: 'History', cards: [{ id: 'rome', title: 'Rome' }] },
    {
      id: 'biology',
      title: 'Biology',
      documents: ['book'],
      cards: [
        {
          id: 'cell',
          title: 'The cell',
          texts: ['The smallest unit of life.'],
          tags: ['#exam/2026'],
          color: 3,
          practice: [{ self: 'again', reason: 'memory', at: 1_790_000_000_000 }],
          bands: [{ id: 'band', height: 240, hasInk: true }],
          parts: [{ id: 'sketch', kind: 'image', masks: [[0.1, 0.1, 0.2, 0.2]] }],
          children: [
            {
              id: 'membrane',
              title: 'Membrane',
              excerpts: [{ document: 'book', page: 2, start: 4, end: 30, text: 'Lipids in two layers' }],
            },
          ],
        },
      ],
    },
  ],
  documents: [
    {
      id: 'book',
      title: 'Biology.pdf',
      pages: ['Cover', 'Lipids in two layers'],
      contents: [{ title: 'Cells', page: 2 }],
    },
  ],
  open: { studySet: 'biology', card: 'membrane', page: 2 },
  template: {
    plugins: [
      { id: 'org.example.quiz', tagPrefix: '#quiz', reasons: [{ id: 'memory', label: 'Forgotten' }] },
      { id: 'org.example.bare' },
    ],
  },
  limits: { batchNoteIds: 2 },
}

async function startHost(options: DemoHostOptions): Promise<DemoHost> {
  const host = await startDemoHost(options)
  onTestFinished(host.close)
  return host
}

async function startApi(): Promise<HostApi> {
  const api = hostApi({ host: await startHost({ library }), writes: 'allow' })
  onTestFinished(async () => void (await api.close()))
  return api
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

test('serves the study sets, the tree and what is open of an own library', async () => {
  const api = await startApi()
  const { studySets } = (await api('/library/study-sets')) as { studySets: object[] }
  expect(studySets).toHaveLength(2)
  expect(studySets[1]).toMatchObject({ topicid: 'biology', title: 'Biology', noteCount: 2, documentCount: 1 })
  expect(await api('/ui-state')).toMatchObject({
    state: { topicid: 'biology', bookmd5: 'book', focusnoteid: 'membrane' },
  })
  const { nodes } = (await api('/study-sets/biology/tree')) as { nodes: object[] }
  expect(nodes).toMatchObject([
    { noteid: 'cell', parent: null, depth: 0, childCount: 1, title: 'The cell', colorIndex: 3 },
    { noteid: 'membrane', parent: 'cell', depth: 1, childCount: 0, title: 'Membrane' },
  ])
})

test('serves the cards of an own library with texts, parts, bands and practice', async () => {
  const api = await startApi()
  const { items } = (await api('/notes/batch-get', post({ noteIds: ['cell', 'membrane'] }))) as { items: object[] }
  expect(items).toMatchObject([
    {
      noteid: 'cell',
      topicid: 'biology',
      texts: [
        { text: 'The smallest unit of life.', excerpt: false },
        { kind: 'blank', noteid: 'band' },
      ],
      hashtags: ['#exam/2026'],
      metadata: { colorIndex: 3, fillIndex: -1 },
      bands: [{ physicalNoteId: 'band', height: 240, hasInk: true }],
      practice: [{ addon: 'org.example.quiz', self: 'again', reasonLabel: 'Forgotten' }],
    },
    { noteid: 'membrane', docBookmd5: 'book', docPage: 2, texts: [{ text: 'Lipids in two layers', excerpt: true }] },
  ])
  expect(JSON.stringify(items[0])).toContain('"/notes/cell/content/sketch"')
  const tooMany = await api('/notes/batch-get', post({ noteIds: ['cell', 'membrane', 'rome'] }))
  expect(tooMany).toMatchObject({ error: { code: 'BODY_INVALID' } })
})

test('finds texts, excerpts and pages of an own library', async () => {
  const api = await startApi()
  expect(await api('/search?q=smallest')).toMatchObject({ hits: [{ kind: 'note', noteid: 'cell' }], truncated: false })
  expect(await api('/documents/book/excerpts')).toMatchObject({
    total: 1,
    items: [{ cardNoteId: 'membrane', topicid: 'biology', page: 2, startpos: 4, endpos: 30 }],
  })
  expect(await api('/documents/book/outline')).toMatchObject({
    segments: [{ title: 'Cells', startPage: 2 }],
    pageCount: 2,
  })
})

test('records verdicts by the template of an own library', async () => {
  const host = await startHost({ library })
  const quiz = hostApi({ host, writes: 'allow' })
  const bare = hostApi({ host, writes: 'allow', plugin: 'org.example.bare' })
  onTestFinished(async () => void (await Promise.all([quiz.close(), bare.close()])))
  expect(await quiz('/immersive/template')).toMatchObject({
    plugins: [{ id: 'org.example.quiz', config: { tagPrefix: '#quiz' } }, { id: 'org.example.bare' }],
  })
  // The host replaces a sent `addon` by the id of the plugin.
  const verdict = post({
    addon: 'any',
    self: 'good',
    reason: 'memory',
    expectedRevision: '1',
    practice: { topic: 'biology' },
  })
  expect(await bare('/notes/membrane/practice-verdict', verdict)).toMatchObject({
    error: { code: 'PRACTICE_CONFIG_UNAVAILABLE' },
  })
  expect(await quiz('/notes/membrane/practice-verdict', verdict)).toMatchObject({
    practice: { addon: 'org.example.quiz', reasonLabel: 'Forgotten' },
    hashtags: ['#quiz/question', '#quiz/good', '#quiz/error/memory'],
  })
  const asPanel = await fetch(`${host.baseUrl}/notes/rome/practice-verdict`, {
    ...post({ self: 'good', expectedRevision: '1' }),
    headers: { 'Content-Type': 'application/json', 'x-demo-panel': '1' },
  })
  expect(await asPanel.json()).toMatchObject({ practice: { addon: 'org.example.quiz' } })
})

test('starts again from the same library, whatever was written before', async () => {
  const first = await startHost({ library })
  expect(first.editAsUser()).toMatchObject({ topicid: 'biology', kind: 'renamed' })
  const api = await startApi()
  const { nodes } = (await api('/study-sets/biology/tree')) as { nodes: object[] }
  expect(nodes).toMatchObject([{ title: 'The cell' }, { title: 'Membrane' }])
})

test('names the member of a library that is wrong, and a number of cards that is none', async () => {
  const wrong = { studySets: [{ title: 'A', cards: [{ title: 'B', color: 99 }] }] }
  await expect(startDemoHost({ library: wrong })).rejects.toThrow('studySets[0].cards[0].color: ')
  for (const nodes of [0, 1.5, 1_000_001, Number.NaN]) {
    await expect(startDemoHost({ nodes })).rejects.toThrow('nodes takes a whole number from 1 to 1000000, not ')
  }
  const text = 'x' as unknown as number
  await expect(startDemoHost({ nodes: text })).rejects.toThrow('nodes takes a whole number from 1 to 1000000, not "x".')
})
