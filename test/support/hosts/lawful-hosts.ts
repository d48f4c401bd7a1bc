import fc from 'fast-check'
import {
  changeMember,
  changeMembersDeep,
  mapList,
  omitMembers,
  renameMembers,
} from '../../../electron/demo-host/dialects/dialect-trait.ts'
import { errorCodeOf } from '../../../shared/bridge/errors.ts'
import { getMember, isObject } from '../../../shared/json/object.ts'

/** One way to send a response where spec-0.91 says "not shown". */
export interface LawfulChoice {
  readonly name: string
  readonly change: (body: unknown) => unknown
  /** The HTTP status, where the spec does not show it. */
  readonly status?: number
}

/** Something that the spec does not show, and at least four ways in which hosts may send it. */
interface OpenPlace {
  readonly place: string
  readonly endpoints: readonly string[]
  /** The codes of the errors that may be sent in these ways; absent for responses that succeed. */
  readonly errorCodes?: RegExp
  readonly choices: readonly LawfulChoice[]
}

const asSent: LawfulChoice = { name: 'as the demo host', change: (body) => body }

const setMembers =
  (members: Readonly<Record<string, unknown>>) =>
  (value: unknown): unknown =>
    isObject(value) ? { ...value, ...members } : value

const setMember = (name: string, ...values: readonly unknown[]): LawfulChoice[] =>
  values.map((value) => ({
    name: `${name} ${JSON.stringify(value)}`,
    change: (body) => changeMember(body, name, () => value),
  }))

/** Further members, of which the spec says nothing, in every entry of a list. */
const addToEntries = (list: string, members: Readonly<Record<string, unknown>>): LawfulChoice => ({
  name: `${list} with ${Object.keys(members).join(', ')}`,
  change: (body) => changeMember(body, list, mapList(setMembers(members))),
})

const renameInEntries = (list: string, names: Readonly<Record<string, string>>): LawfulChoice => ({
  name: `${list} with ${Object.values(names).join(', ')}`,
  change: (body) =>
    changeMember(
      body,
      list,
      mapList((entry) => renameMembers(entry, names)),
    ),
})

const keepInEntries = (list: string, names: readonly string[]): LawfulChoice => ({
  name: `${list} with only ${names.join(', ')}`,
  change: (body) =>
    changeMember(
      body,
      list,
      mapList((entry) =>
        isObject(entry) ? Object.fromEntries(Object.entries(entry).filter(([name]) => names.includes(name))) : entry,
      ),
    ),
})

/** Ways to send a response whose shape the spec does not show, with the same entries. */
const openShapes: readonly LawfulChoice[] = [
  asSent,
  { name: 'wrapped in data', change: (body) => ({ data: body }) },
  { name: 'wrapped in result, with a status', change: (body) => ({ status: 'ok', result: body }) },
  {
    name: 'lists under other names',
    change: (body) =>
      isObject(body)
        ? Object.fromEntries(
            Object.entries(body).map(([name, value]) => [Array.isArray(value) ? `${name}List` : name, value]),
          )
        : body,
  },
  {
    name: 'only its longest list',
    change: (body) =>
      isObject(body)
        ? (Object.values(body)
            .filter((value) => Array.isArray(value))
            .sort((first: unknown[], second: unknown[]) => second.length - first.length)[0] ?? body)
        : body,
  },
  {
    name: 'null in place of texts',
    change: (body) => changeMembersDeep(body, (name, value) => (name === 'title' ? null : value)),
  },
  {
    name: 'further members everywhere',
    change: (body) =>
      changeMembersDeep(setMembers({ trace: 'a1' })(body), (_, value) => setMembers({ revisionTag: 7 })(value)),
  },
]

interface ListedRoute {
  readonly method: string
  readonly path: string
}
const getRoutes = (body: unknown): readonly ListedRoute[] => {
  const routes = getMember(body, 'routes')
  return Array.isArray(routes) ? (routes as ListedRoute[]) : []
}
const toRouteTexts = (body: unknown): string[] => getRoutes(body).map(({ method, path }) => `${method} ${path}`)
const toPathsByMethod = (body: unknown): Record<string, string[]> =>
  Object.fromEntries(
    [...new Set(getRoutes(body).map(({ method }) => method))].map((method) => [
      method,
      getRoutes(body)
        .filter((route) => route.method === method)
        .map(({ path }) => path),
    ]),
  )

/** Where a host may name the routes that a panel may call; each names all of them. */
const panelAccess: readonly LawfulChoice[] = [
  asSent,
  { name: 'texts in panelRoutes', change: (body) => setMembers({ panelRoutes: toRouteTexts(body) })(body) },
  {
    name: 'by method in webPanel.allowList',
    change: (body) => setMembers({ webPanel: { allowList: toPathsByMethod(body) } })(body),
  },
  {
    name: 'objects in panel-allow-list',
    change: (body) =>
      setMembers({
        'panel-allow-list': getRoutes(body).map(({ method, path }) => ({ methods: [method], route: path })),
      })(body),
  },
  {
    name: 'a flag on each route',
    change: (body) => changeMember(body, 'routes', mapList(setMembers({ inProcess: true }))),
  },
]

const replaceRoutes =
  (toMembers: (body: unknown) => object) =>
  (body: unknown): unknown =>
    setMembers(toMembers(body) as Record<string, unknown>)(omitMembers(body, 'routes'))

const capabilityShapes: readonly LawfulChoice[] = [
  asSent,
  { name: 'routes as texts', change: replaceRoutes((body) => ({ routes: toRouteTexts(body) })) },
  { name: 'paths by method', change: replaceRoutes((body) => ({ endpoints: toPathsByMethod(body) })) },
  {
    name: 'groups of other members',
    change: replaceRoutes((body) => ({
      groups: [{ tag: 'all', items: getRoutes(body).map(({ method, path }) => ({ verb: method, url: path })) }],
    })),
  },
  {
    name: 'an OpenAPI document',
    change: replaceRoutes((body) => ({
      openapi: '3.1.0',
      paths: Object.fromEntries(
        getRoutes(body).map(({ path }) => [
          path,
          Object.fromEntries(
            getRoutes(body)
              .filter((route) => route.path === path)
              .map(({ method }) => [method.toLowerCase(), { summary: 'x' }]),
          ),
        ]),
      ),
    })),
  },
  // Nothing of it names a route, in whatever member.
  { name: 'no routes', change: (body) => ({ bridgeApiVersion: getMember(body, 'bridgeApiVersion') }) },
]

const withStatuses = (...statuses: readonly number[]): LawfulChoice[] =>
  statuses.map((status) => ({ name: `with status ${status}`, change: (body) => body, status }))

const asError = (status: number, code: string): LawfulChoice => ({
  name: `${status} ${code}`,
  status,
  change: (body) => changeMember(body, 'error', (error) => changeMember(error, 'code', () => code)),
})

const refuseRoute = (status: number): LawfulChoice => ({
  name: `refused with ${status}`,
  status,
  change: () => ({ error: { code: 'NO_SUCH_PATH', message: 'x' } }),
})

const withErrorMembers = (members: Readonly<Record<string, unknown>>): LawfulChoice => ({
  name: `errors with ${Object.keys(members).join(', ')}`,
  change: (body) => changeMember(body, 'error', setMembers(members)),
})

export const openPlaces: readonly OpenPlace[] = [
  {
    place: 'responses at a route that 0.91 does not name (§4)',
    endpoints: ['status.get'],
    choices: [asSent, ...[404, 403, 400, 500].map(refuseRoute)],
  },
  { place: 'the allow-list of panels (§5.3)', endpoints: ['capabilities.get'], choices: panelAccess },
  { place: 'shape of the capabilities (§4)', endpoints: ['capabilities.get'], choices: capabilityShapes },
  {
    place: 'statuses of the practice errors (§7)',
    endpoints: ['notes.practiceVerdict'],
    errorCodes: /^PRACTICE_/,
    choices: withStatuses(400, 404, 409, 422, 200),
  },
  {
    place: 'status and code of a refused commit (§7)',
    endpoints: ['writing.pencilCommit'],
    errorCodes: /^(?:REQUEST_CONFLICT|OPERATION_UNFINISHED)$/,
    choices: [asError(409, 'CONFLICT'), asError(429, 'WINDOW_BUSY'), asError(423, 'E17'), asError(422, 'NOT_NOW')],
  },
  {
    place: 'response for a record that is lost (§4, §7)',
    endpoints: ['writing.pencilResult'],
    errorCodes: /^OPERATION_NOT_FOUND$/,
    choices: [asError(404, 'OPERATION_NOT_FOUND'), asError(410, 'GONE'), asError(422, 'NO_RECORD'), asError(409, 'E4')],
  },
  {
    place: 'reason codes of a 409 (§7)',
    endpoints: ['notes.blankBands'],
    errorCodes: /^(?:NO_SELECTION|INSERTION_REFUSED|PHYSICAL_SAVE_FAILED)$/,
    choices: [
      asError(409, 'NO_SELECTION'),
      asError(409, 'insertion-refused'),
      asError(409, 'save_failed'),
      asError(409, 'R7'),
    ],
  },
  {
    place: 'other members of an error (§7)',
    endpoints: ['*'],
    errorCodes: /./,
    choices: [
      asSent,
      withErrorMembers({ message: '未能完成。', details: { hint: 'a' } }),
      withErrorMembers({ details: [{ at: 'body' }], retryable: false }),
      withErrorMembers({ reason: 'x', trace: ['a', 'b'] }),
      { name: 'more beside an error', change: setMembers({ ok: false, trace: 'a1' }) },
    ],
  },
  {
    place: 'shapes of the referenced endpoints (§4)',
    endpoints: [
      'context.get',
      'studySets.list',
      'studySets.documents',
      'studySets.subMaps',
      'studySets.hashtags',
      'studySets.snapshots',
      'studySets.notebooks',
      'decks.list',
      'decks.cards',
      'search.get',
      'bundles.list',
      'sync.status',
      'sync.events',
      'library.folders',
      'documents.outline',
      'documents.pages',
      'documents.syncStatus',
      'immersive.template',
    ],
    choices: openShapes,
  },
  {
    place: 'fields of a tree node (§2)',
    endpoints: ['studySets.tree'],
    choices: [
      asSent,
      keepInEntries('nodes', ['noteid', 'parent', 'docPage', 'docBookmd5']),
      renameInEntries('nodes', { title: 'name', depth: 'level', childCount: 'children' }),
      addToEntries('nodes', { kind: 'card', colorIndex: 3, flags: ['a'] }),
      addToEntries('nodes', { title: null, depth: -1, childCount: '3' }),
    ],
  },
  {
    place: 'fields of an item of batch-get (§4)',
    endpoints: ['notes.batchGet'],
    choices: [
      asSent,
      keepInEntries('items', ['noteid', 'parts']),
      renameInEntries('items', { title: 'name', texts: 'comments' }),
      addToEntries('items', { title: { plain: 'a' }, texts: 'a' }),
      addToEntries('items', { hashtags: { list: [] }, metadata: [] }),
    ],
  },
  {
    place: 'element of duplicates (§2)',
    endpoints: ['documents.excerpts'],
    choices: [...setMember('duplicates', [], [1, 2], ['a'], [{ startpos: 1, noteids: ['a'] }], [[1, 2]], [null])],
  },
  {
    place: 'values of source and appearance (§2)',
    endpoints: ['studySets.palette'],
    choices: [
      asSent,
      ...setMember('source', 'custom', 'imported', ''),
      ...setMember('appearance', 'dark', 'sepia', 'high-contrast'),
    ],
  },
  {
    place: 'values of a session acknowledgement (§2, §3)',
    endpoints: ['writing.sessionFocusBegin', 'writing.sessionReserve', 'writing.sessionPause'],
    choices: [
      asSent,
      { name: 'settled', change: setMembers({ state: 'done', outcome: 'applied', settled: true, ready: true }) },
      { name: 'refused', change: setMembers({ state: 'rejected', outcome: 'refused', persisted: false }) },
      ...setMember('outcome', 'queued', 'superseded'),
      ...setMember('canSwitch', true),
      ...setMember('schemaVersion', 2),
    ],
  },
  {
    place: 'receipt, states and gate of a commit (§2, §3)',
    endpoints: ['writing.pencilCommit'],
    choices: [
      asSent,
      ...setMember('receipt', 'r-1', { id: 'r-1' }, ['r-1'], 7),
      ...setMember('state', 'running', 'done'),
      ...setMember('durability', 'disk'),
      {
        name: 'gate of another scope',
        change: (body) => changeMember(body, 'inputGate', setMembers({ scope: 'window', state: 'idle' })),
      },
    ],
  },
  {
    place: 'other fields of pencil-result (§4)',
    endpoints: ['writing.pencilResult'],
    choices: [
      asSent,
      { name: 'with a receipt', change: setMembers({ receipt: { id: 'r' }, failure: null }) },
      {
        name: 'pending with nulls',
        // A lawful host settles at last.
        change: (body) =>
          getMember(body, 'settled') === true
            ? body
            : setMembers({ outcome: 'pending', persistedSnapshotVerified: null, snapshotCurrent: null })(body),
      },
      ...setMember('outcome', 'saved', 'cancelled'),
    ],
  },
  {
    place: 'values of role (§2)',
    endpoints: ['notes.blankBands'],
    choices: [asSent, ...['answer', 'draft', ''].flatMap((role) => ({ name: role, change: setBandRole(role) }))],
  },
  {
    place: 'values of self and reason (§2)',
    endpoints: ['notes.practiceVerdict'],
    choices: [
      asSent,
      ...['good', 'hard', 'skipped'].map((self) => ({
        name: self,
        change: (body: unknown) => changeMember(body, 'practice', setMembers({ self, reason: `of-${self}` })),
      })),
    ],
  },
  {
    place: 'interface version (§9)',
    endpoints: ['*'],
    choices: [asSent, ...setMember('bridgeApiVersion', '4.2', '0.91.3', '2026.11')],
  },
]

function setBandRole(role: string): (body: unknown) => unknown {
  return (body) => changeMembersDeep(body, (name, value) => (name === 'role' ? role : value))
}

/** A response without its headers. */
export interface SentResponse {
  readonly status: number
  readonly body: unknown
}

/** A host that keeps spec-0.91: one choice for each open place. */
export interface LawfulHost {
  readonly description: string
  readonly changeResponse: (endpoint: string, response: SentResponse) => SentResponse
  readonly changeBody: (endpoint: string, body: unknown) => unknown
}

function isPlaceOf({ endpoints, errorCodes }: OpenPlace, endpoint: string, body: unknown): boolean {
  if (!endpoints.includes('*') && !endpoints.includes(endpoint)) return false
  const code = errorCodeOf(body)
  return code === null ? errorCodes === undefined : (errorCodes?.test(code) ?? endpoints.includes('*'))
}

export const lawfulHosts: fc.Arbitrary<LawfulHost> = fc
  .tuple(...openPlaces.map(({ choices }) => fc.constantFrom(...choices)))
  .map((choices) => {
    function changeResponse(endpoint: string, response: SentResponse): SentResponse {
      // A choice may rename the code by which later places would be found.
      const places = openPlaces.map((place) => isPlaceOf(place, endpoint, response.body))
      return choices.reduce<SentResponse>(
        ({ status, body }, choice, index) =>
          places[index] ? { status: choice.status ?? status, body: choice.change(body) } : { status, body },
        response,
      )
    }
    return {
      description: choices.map(({ name }, index) => `${openPlaces[index]?.place}: ${name}`).join('; '),
      changeResponse,
      changeBody: (endpoint, body) => changeResponse(endpoint, { status: 200, body }).body,
    }
  })

/** Breaks one sentence of the spec in a response, as a host must not. */
export interface Breach {
  readonly sentence: string
  readonly endpoint: string
  readonly change: (body: unknown) => unknown
}

const omit =
  (...names: readonly string[]) =>
  (body: unknown): unknown =>
    omitMembers(body, ...names)

const firstColor =
  (change: (color: unknown) => unknown) =>
  (body: unknown): unknown =>
    changeMember(body, 'colors', (colors) =>
      Array.isArray(colors) ? [change(colors[0]), ...(colors.slice(1) as unknown[])] : colors,
    )

export const breaches: readonly Breach[] = [
  ...['studySetId', 'title', 'count', 'source', 'appearance', 'colors'].map((name) => ({
    ...{ sentence: `§2 Palette ${name}`, endpoint: 'studySets.palette', change: omit(name) },
  })),
  {
    ...{ sentence: '§2 ColorValue hex', endpoint: 'studySets.palette' },
    change: firstColor((color) => changeMember(color, 'displayColor', (value) => changeMember(value, 'hex', () => 3))),
  },
  {
    ...{ sentence: '§2 Palette count', endpoint: 'studySets.palette' },
    change: (body) => changeMember(body, 'count', () => 'many'),
  },
  ...['bookmd5', 'title', 'total', 'topicCount', 'duplicates', 'items', 'truncated'].map((name) => ({
    ...{ sentence: `§2 Excerpt list ${name}`, endpoint: 'documents.excerpts', change: omit(name) },
  })),
  {
    ...{ sentence: '§2 Item of items', endpoint: 'documents.excerpts' },
    change: (body) =>
      changeMember(
        body,
        'items',
        mapList((item) => changeMember(item, 'page', () => ['1'])),
      ),
  },
  ...['nodes', 'nodeTotal', 'nextCursor', 'truncation', 'walkLimitReached', 'truncated', 'topicid'].map((name) => ({
    ...{ sentence: `§2 Mind-map tree ${name}`, endpoint: 'studySets.tree', change: omit(name) },
  })),
  {
    ...{ sentence: '§2 truncated: a further page exists', endpoint: 'studySets.tree' },
    change: setMembers({ nextCursor: 'more', truncated: false }),
  },
  {
    ...{ sentence: '§2 nodes: docPage with sort=document', endpoint: 'studySets.tree' },
    change: (body) =>
      changeMember(
        body,
        'nodes',
        mapList((node) => omitMembers(node, 'docPage')),
      ),
  },
  ...['requestId', 'runId', 'attemptId', 'state', 'outcome', 'settled', 'persisted', 'ready', 'canSwitch'].map(
    (name) => ({
      ...{ sentence: `§2 Session acknowledgement ${name}`, endpoint: 'writing.sessionPause', change: omit(name) },
    }),
  ),
  {
    ...{ sentence: '§2 requestId: echo of the request', endpoint: 'writing.sessionPause' },
    change: setMembers({ requestId: 'another' }),
  },
  ...['state', 'surfaceId', 'inputGate', 'topicid', 'requestId', 'windowId', 'target', 'inputFrozen'].map((name) => ({
    ...{ sentence: `§2 Pencil acknowledgement ${name}`, endpoint: 'writing.pencilCommit', change: omit(name) },
  })),
  ...['band', 'bands', 'noteid'].map((name) => ({
    ...{ sentence: `§2 Blank band ${name}`, endpoint: 'notes.blankBands', change: omit(name) },
  })),
  ...['persisted', 'noteid', 'commentId', 'practice', 'hashtags', 'tagsChanged', 'commentsRevision'].map((name) => ({
    ...{ sentence: `§2 Practice verdict ${name}`, endpoint: 'notes.practiceVerdict', change: omit(name) },
  })),
  {
    ...{ sentence: '§2 Note content parts: noteid', endpoint: 'notes.batchGet' },
    change: (body) =>
      changeMember(
        body,
        'items',
        mapList((item) => omitMembers(item, 'noteid')),
      ),
  },
  {
    ...{ sentence: '§7 error.code, error.message', endpoint: 'studySets.palette' },
    change: () => ({ error: { code: 7 } }),
  },
]
