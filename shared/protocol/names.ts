import { endpointById } from '../bridge/endpoints/index.ts'
import { member } from '../json/object.ts'
import { textAt, textsAt, type Step } from './step.ts'

/** Ids that a request names, by what they name. */
export interface NamedIds {
  readonly cards: readonly string[]
  readonly topics: readonly string[]
  readonly documents: readonly string[]
}

const cardMembers = ['noteid', 'targetParentNoteId', 'cardNoteId', 'sourceNoteId', 'rootNoteId']
const topicMembers = ['topicid', 'topic', 'studySetId', 'deckId']

/** It changes something of the user's: not a read, whatever its method is. Without a row, a method other than GET counts as a write. */
export function isWrite({ endpoint, method }: Step): boolean {
  const access = endpoint === null ? undefined : endpointById(endpoint)?.access
  return access === undefined ? !/^(?:GET|HEAD|OPTIONS)$/i.test(method) : access === 'write'
}

/** The ids in path, query and body, the body's `target`, `practice` and batches included. */
export function namedIds({ params, query, body }: Step): NamedIds {
  const lists = ['moves', 'copies', 'cards'].flatMap((name) => {
    const list = member(body, name)
    return Array.isArray(list) ? (list.slice(0, 500) as unknown[]) : []
  })
  const parts: unknown[] = [params, body, member(body, 'target'), member(body, 'practice'), ...lists]
  const all = (names: readonly string[]): string[] =>
    parts.flatMap((part) => names.flatMap((one) => textAt(part, one) ?? []))
  const cards = [...all(cardMembers), ...parts.flatMap((part) => textsAt(part, 'noteIds').slice(0, 500))]
  const topics = [...all(topicMembers), query.get('topicid') ?? '', query.get('studySet') ?? '']
  const documents = all(['bookmd5'])
  const once = (list: readonly string[]): string[] => [...new Set(list.filter((one) => one !== ''))]
  return { cards: once(cards), topics: once(topics), documents: once(documents) }
}
