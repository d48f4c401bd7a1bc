import { describe, expect, it, onTestFinished } from 'vitest'
import { dialectTraits, type DialectName } from '../../../electron/demo-host/dialects/index.ts'
import { endpoints, findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { ReadPlan, type PlannedRead } from '../../../shared/contract/read-plan.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { askPlannedReads } from '../../support/hosts/planned-reads.ts'

const dialects = Object.keys(dialectTraits) as DialectName[]

async function start(dialect: DialectName) {
  const connection = await startDemo({ dialect })
  onTestFinished(() => connection.host.close())
  return connection
}

describe('read plan', () => {
  it.each(dialects)('asks each read of a host that speaks %s once, and nothing else', async (dialect) => {
    const connection = await start(dialect)
    const { exchanges, unasked } = await askPlannedReads(connection)
    const ids = exchanges.map(({ read }) => read.endpoint.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(connection.host.log.map(({ endpoint }) => endpoint)).toEqual(ids)
    expect(ids.every((id) => findEndpointById(id)?.access === 'read')).toBe(true)
    expect(exchanges.filter(({ response }) => response.status !== 200).map(({ path }) => path)).toEqual([])
    expect(unasked.map(({ endpoint, missing }) => [endpoint.id, missing])).toEqual([
      // The page that is open has no handwriting.
      ['documents.pageContent', 'contentId'],
      ['writing.pencilResult', 'requestId'],
    ])
  })

  it('takes ids from what is open, and asks for limits that can be checked', async () => {
    const connection = await start('0.91')
    const { openState } = connection.host.state
    const paths = (await askPlannedReads(connection)).exchanges.map(({ path }) => path)
    expect(paths).toContain(`/study-sets/${openState.topicid}/tree?limit=100&sort=document`)
    expect(paths).toContain(`/documents/${openState.bookmd5}/pages/${openState.page}/parts`)
    expect(paths.find((path) => path.includes('/content/'))).toMatch(/\?maxEdge=256$/)
  })

  it('leaves out what needs an id when the host names none', () => {
    const plan = new ReadPlan()
    const reads: PlannedRead[] = []
    for (let read = plan.next(); read; read = plan.next()) {
      reads.push(read)
      plan.addResponse(read, { studySets: 7, state: [], routes: null })
    }
    expect(reads.every(({ params }) => Object.keys(params).length === 0)).toBe(true)
    const unasked = plan.listUnasked()
    expect(unasked.length + reads.length).toBe(endpoints.filter(({ access }) => access === 'read').length)
    expect(unasked.find(({ endpoint }) => endpoint.id === 'studySets.tree')?.missing).toBe('topicid')
    expect(unasked.find(({ endpoint }) => endpoint.id === 'notes.batchGet')?.missing).toBe('noteIds')
  })

  /** Answers with these bodies, by endpoint, and lists what was asked. */
  const runPlan = (bodies: Readonly<Record<string, unknown>>) => {
    const plan = new ReadPlan()
    const reads: PlannedRead[] = []
    for (let read = plan.next(); read; read = plan.next()) {
      reads.push(read)
      plan.addResponse(read, bodies[read.endpoint.id])
    }
    return { plan, find: (id: string) => reads.find(({ endpoint }) => endpoint.id === id), reads }
  }
  const uiState = { state: { topicid: 'T', bookmd5: 'B', focusnoteid: 'N' } }

  it('leaves out what a host does not list, and asks everything of one that lists nothing', () => {
    const paths = ['/ui-state', '/library/study-sets', '/capabilities']
    const { plan, reads } = runPlan({ 'capabilities.get': { paths }, 'uiState.get': uiState })
    // The status is asked first, before the capabilities say anything.
    expect(reads.map(({ endpoint }) => endpoint.id)).toEqual([
      'status.get',
      'capabilities.get',
      'uiState.get',
      'studySets.list',
    ])
    expect(plan.listUnasked()).toEqual([])
    expect(plan.unlistedCount).toBeGreaterThan(20)
    expect(runPlan({ 'capabilities.get': { limits: {} } }).plan.unlistedCount).toBe(0)
  })

  it('asks for the card that is open, and for contents by the ids that the spec names', () => {
    const { find } = runPlan({
      'uiState.get': uiState,
      'notes.batchGet': { items: [{ noteid: 'N', parts: [{ contentId: 'c1' }] }] },
      'documents.pageParts': { contentIds: ['c2'], parts: [] },
    })
    expect(find('notes.batchGet')?.body).toEqual({ noteIds: ['N'] })
    expect(find('notes.content')?.params).toEqual({ noteid: 'N', contentId: 'c1' })
    expect(find('documents.pageContent')?.params).toEqual({ bookmd5: 'B', index: '1', contentId: 'c2' })
    expect(find('studySets.palette')?.params).toEqual({ topicid: 'T' })
  })
})
