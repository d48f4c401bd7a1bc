import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { DemoState } from '../../../electron/demo-host/state/context.ts'
import type { SentRequest } from '../services/replay-recording.ts'

/** A step of a random sequence. The numbers choose cards and study sets of the library. */
export interface HostStep {
  readonly kind: (typeof readKinds)[number] | (typeof writeKinds)[number]
  readonly card: number
  readonly target: number
  readonly value: number
}

const readKinds = [
  ...['status', 'study-sets', 'tree', 'tree-pages', 'sub-maps', 'card', 'cards', 'content', 'content-range'],
  ...['content-head', 'search', 'hashtags', 'snapshots', 'decks', 'missing', 'context', 'dry-delete', 'session'],
] as const
const writeKinds = [
  ...['title', 'comment', 'colour', 'tags', 'fold', 'move', 'delete', 'bad-body', 'snapshot', 'new-set', 'begin'],
  ...['commit', 'commit-again', 'result'],
] as const

export const hostSteps = fc.array(
  fc.record<HostStep>({
    kind: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...readKinds) },
      { weight: 2, arbitrary: fc.constantFrom(...writeKinds) },
    ),
    card: fc.nat(40),
    target: fc.nat(40),
    value: fc.nat(3),
  }),
  { minLength: 3, maxLength: 14 },
)

export const isReadStep = ({ kind }: HostStep): boolean => (readKinds as readonly string[]).includes(kind)

/** Creates the requests of a step for the library as it is. */
export class HostStepRequests {
  readonly #state: DemoState
  #lastRequestId = randomUUID() as string

  constructor(state: DemoState) {
    this.#state = state
  }

  create({ kind, card: cardIndex, target: targetIndex, value }: HostStep): SentRequest {
    const { sets } = this.#state.library
    const set = sets[1] ?? sets[0]
    const pick = (index: number): string => set?.cards[index % Math.max(1, set.cards.length)]?.noteid ?? 'none'
    const [noteid, target] = [pick(cardIndex), pick(targetIndex)]
    const topicid = set?.topicid ?? ''
    const image = [...this.#state.library.cards.values()].find(({ parts }) =>
      parts.some((part) => part.kind === 'image'),
    )
    const part = image?.parts.find((entry) => entry.kind === 'image')
    const contentPath = `/notes/${image?.noteid}/content/${part?.contentId}?maxEdge=64`
    const post = (path: string, body: unknown): SentRequest => ({ method: 'POST', path, body })
    const confirm = true
    switch (kind) {
      case 'status':
        return { path: '/status' }
      case 'study-sets':
        return { path: '/library/study-sets' }
      case 'tree':
        return { path: `/study-sets/${topicid}/tree` }
      case 'tree-pages':
        return { path: `/study-sets/${topicid}/tree?limit=${1 + value}` }
      case 'sub-maps':
        return { path: `/study-sets/${topicid}/sub-maps` }
      case 'hashtags':
        return { path: `/study-sets/${topicid}/hashtags` }
      case 'snapshots':
        return { path: `/study-sets/${topicid}/snapshots` }
      case 'card':
        return post('/notes/batch-get', { noteIds: [noteid] })
      case 'cards':
        return post('/notes/batch-get', { noteIds: [target, noteid] })
      case 'content':
        return { path: contentPath }
      case 'content-range':
        return { path: contentPath, headers: { range: `bytes=${value * 7}-${value * 7 + 20}` } }
      case 'content-head':
        return { method: 'HEAD', path: contentPath }
      case 'search':
        return { path: `/search?scope=notes&q=${['a', 'e', 'cell', 'zzz'][value]}` }
      case 'decks':
        return { path: '/decks' }
      case 'missing':
        return { path: value === 0 ? '/nothing' : `/study-sets/NONE-${value}/tree` }
      case 'context':
        return { path: '/context' }
      case 'session':
        return { path: '/writing/context' }
      case 'dry-delete':
        return post('/notes/delete', { noteIds: [noteid] })
      case 'title':
        return post(`/notes/${noteid}/title`, { text: `Title ${value}`, confirm })
      case 'comment':
        return post(`/notes/${noteid}/comments`, { text: `Comment ${value}`, confirm })
      case 'colour':
        return post('/notes/metadata', { noteIds: [noteid], patch: { colorIndex: value }, confirm })
      case 'tags':
        return post('/notes/hashtags', { noteIds: [noteid], operation: 'add', hashtags: [`#t${value}`], confirm })
      case 'fold':
        return post('/notes/fold', { noteIds: [noteid], folded: value % 2 === 0, confirm })
      case 'move':
        return post('/notes/move', { noteIds: [noteid], targetParentNoteId: target, confirm })
      case 'delete':
        return post('/notes/delete', { noteIds: [noteid], confirm })
      case 'bad-body':
        return post(`/notes/${noteid}/title`, { title: 'wrong', confirm })
      case 'snapshot':
        return post(`/study-sets/${topicid}/snapshots`, { description: `v${value}` })
      case 'new-set':
        return post('/library/study-sets', { title: `Set ${value}`, confirm })
      case 'begin':
        return post('/writing/session-focus-begin', {
          ...{ requestId: randomUUID(), runId: 'run', questionId: `q${value}`, carrier: 'focus', confirm },
        })
      case 'commit':
        this.#lastRequestId = randomUUID()
        return this.#createCommit(topicid, noteid, value)
      case 'commit-again':
        return this.#createCommit(topicid, noteid, value)
      case 'result':
        return post('/writing/pencil-result', { requestId: this.#lastRequestId })
    }
  }

  #createCommit(topicid: string, noteid: string, value: number): SentRequest {
    const target = { topicid, noteid, layerId: '' }
    const body = { requestId: this.#lastRequestId, surfaceId: `surface-${value}`, target, confirm: true }
    return { method: 'POST', path: '/writing/pencil-commit', body }
  }
}
