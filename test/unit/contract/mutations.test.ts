import { afterAll, beforeAll, expect, it } from 'vitest'
import { endpoints, isJsonEndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { countVerdicts, judgeChange, type ContractVerdict } from '../../mutation/contract-verdict.ts'
import { getValue, listMembers, locate } from '../../mutation/members.ts'
import { listMutations, mutate } from '../../mutation/mutations.ts'
import { startDemo, type DemoConnection } from '../../support/hosts/demo.ts'

let demo: DemoConnection
beforeAll(async () => {
  demo = await startDemo({ nodes: 60 })
})
afterAll(() => demo.host.close())

/** Reads an endpoint of the demo host with parameters that lead somewhere. */
async function readEndpoint({ id, parameters, body }: (typeof endpoints)[number]) {
  const { library } = demo.host.state
  const cards = [...library.cards.values()]
  const card = cards.find(({ parts }) => parts.some(({ masks }) => masks))
  const book = [...library.books.values()].find(({ pages }) => pages.some(({ parts }) => parts.length > 0))
  const page = book?.pages.findIndex(({ parts }) => parts.length > 0) ?? 0
  const values: Readonly<Record<string, string>> = {
    topicid: library.sets[0]?.topicid ?? '',
    noteid: card?.noteid ?? '',
    bookmd5: book?.bookmd5 ?? '',
    index: String(page + 1),
    deckId: library.decks[0]?.deckId ?? '',
    bundleId: 'bundle-1',
  }
  const bodies: Readonly<Record<string, object>> = {
    'notes.batchGet': { noteIds: cards.slice(0, 40).map(({ noteid }) => noteid) },
    'studySets.printPreview': { mode: 'keepStructure', densityValue: 0.4 },
    'documents.locate': { text: 'the', page: 1 },
  }
  const params: Record<string, string> = {}
  const query: Record<string, string> = {}
  for (const { in: place, name, required } of parameters) {
    if (place === 'path') params[name] = values[name] ?? ''
    else if (required) query[name] = 'a'
  }
  return (await demo.ask(id, { params, query, ...(body ? { body: bodies[id] ?? {} } : {}) })).json
}

it('reports every change of a member that the contract shows and does not allow', async () => {
  const verdicts: ContractVerdict[] = []
  const missed: string[] = []
  const lawfulMutations = new Set<string>()
  const rows = endpoints.filter(
    ({ access, id }) => access === 'read' && id !== 'writing.pencilResult' && isJsonEndpointId(id),
  )
  // Judging takes seconds, in which the host would close a connection that the next request takes.
  const responses: unknown[] = []
  for (const endpoint of rows) responses.push(await readEndpoint(endpoint))
  for (const [index, endpoint] of rows.entries()) {
    const original = responses[index]
    for (const pointer of listMembers(original)) {
      const path = locate(original, pointer)
      if (!path) continue
      for (const mutation of listMutations(getValue(original, path), pointer === '')) {
        const changed = mutate(original, path, mutation)
        if (!changed) continue
        const verdict = judgeChange(endpoint.id, pointer, original, changed.value, endpoint)
        verdicts.push(verdict)
        if (verdict === 'missed') missed.push(`${endpoint.id} ${pointer} ${mutation}`)
        if (verdict === 'lawful') lawfulMutations.add(mutation)
      }
    }
  }
  expect(missed).toEqual([])
  expect(countVerdicts(verdicts).reported).toBeGreaterThan(1_000)
  // Most values of the same type are lawful, but no object in place of a value.
  expect([...lawfulMutations].filter((name) => name === 'object')).toEqual([])
})
