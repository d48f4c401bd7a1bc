import { isObject } from '../json/object.ts'
import { getIdKind } from './id-kinds.ts'

/** Further members of a node are not searched. */
const MAX_SEARCHED_MEMBERS = 40

/**
 * Names the ids of the nodes of one card listing. Of a node, the contract states only `parent`
 * (spec §2 Mind-map tree), so the member that holds its id is found by what it means, on the first
 * page that has nodes, and holds for the pages after it.
 */
export class NodeIdNormalizer {
  #member: string | null

  /** @param member the member that holds the ids, if it is known */
  constructor(member: string | null = null) {
    this.#member = member
  }

  /** Null until it is found. */
  get member(): string | null {
    return this.#member
  }

  /** @returns the nodes with their id in `noteid`; null if no member is known to hold it */
  nameNodes(nodes: readonly unknown[]): readonly unknown[] | null {
    // Entries that are no objects break spec §2, and are reported as such.
    if (!nodes.some(isObject)) return nodes
    this.#member ??= findNodeIdMember(nodes)
    return this.#member === null ? null : renameNodeIds(nodes, this.#member, 'noteid')
  }

  /** @returns the page with named nodes; undefined if no member is known to hold their ids */
  namePage(page: unknown): unknown {
    if (!isObject(page) || !Array.isArray(page['nodes'])) return page
    const nodes = this.nameNodes(page['nodes'])
    return nodes === page['nodes'] ? page : nodes === null ? undefined : { ...page, nodes }
  }
}

/** The members keep their order. */
export function renameNodeIds(nodes: readonly unknown[], from: string, to: string): readonly unknown[] {
  if (from === to) return nodes
  return nodes.map((node) => {
    if (!isObject(node) || !Object.hasOwn(node, from)) return node
    const members = Object.entries(node).filter(([name]) => name !== to)
    return Object.fromEntries(members.map(([name, value]) => [name === from ? to : name, value]))
  })
}

/** Finds `noteid`, else the text that differs in all nodes and that parents name, else by name. */
function findNodeIdMember(nodes: readonly unknown[]): string | null {
  if (nodes.some((node) => isObject(node) && hasText(node, 'noteid'))) return 'noteid'
  const objects = nodes.filter(isObject)
  const members = listDistinctMembers(objects)
  let bestMember: string | null = null
  let maxReferences = 0
  for (const member of members) {
    const references = countReferences(objects, member)
    if (references > maxReferences) [bestMember, maxReferences] = [member, references]
  }
  return bestMember ?? findNamedMember(members)
}

const hasText = (node: Record<string, unknown>, name: string): boolean =>
  typeof node[name] === 'string' && node[name] !== ''

/** The members that hold another text in each node, those with the name of an id first. */
function listDistinctMembers(nodes: readonly Record<string, unknown>[]): readonly string[] {
  const names = Object.keys(nodes[0] ?? {}).slice(0, MAX_SEARCHED_MEMBERS)
  const members = names.filter((name) => {
    if (name === 'parent' || !nodes.every((node) => hasText(node, name))) return false
    return new Set(nodes.map((node) => node[name])).size === nodes.length
  })
  const idMembers = members.filter((name) => isIdName(name))
  return [...idMembers, ...members.filter((name) => !idMembers.includes(name))]
}

/** Counts the nodes whose parent is another node, if this member holds the ids. */
function countReferences(nodes: readonly Record<string, unknown>[], member: string): number {
  const holders = new Map(nodes.map((node) => [node[member], node]))
  return nodes.filter((node) => {
    const parent = holders.get(node['parent'])
    return parent !== undefined && parent !== node
  }).length
}

function findNamedMember(members: readonly string[]): string | null {
  const idMembers = members.filter((name) => isIdName(name))
  const [only, another] = idMembers
  const preferred = idMembers.find((name) => getIdKind(name, '') === 'card') ?? idMembers.find((name) => name === 'id')
  return preferred ?? (another === undefined ? (only ?? null) : null)
}

const idName = /^(?:id|uuid|guid|key|(?:node|card)id)$|(?:Id|ID|Uuid|UUID|[_-]id)$/

/** An id of something else than the card does not name it. */
function isIdName(name: string): boolean {
  const kind = getIdKind(name, 'cards')
  const isOwn = !/parent|child|sub|source|focus|selected/i.test(name)
  return isOwn && (kind === 'card' || (kind === null && idName.test(name)))
}
