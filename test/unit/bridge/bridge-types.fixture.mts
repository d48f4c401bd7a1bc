// Compiled by bridge-types.test.ts, and never run.
import type {
  BodyOf,
  EntryOf,
  ErrorCodeOf,
  PathParametersOf,
  QueryOf,
  ResultOf,
  RouteOf,
} from '../../../resources/bridge.d.ts'

type IsEqual<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function assertType<T extends true>(value?: T): void
declare const id: string

type Palette = 'GET /study-sets/{topicid}/note-palette'
assertType<IsEqual<PathParametersOf<Palette>, { readonly topicid: string }>>()
assertType<IsEqual<ErrorCodeOf<Palette>, 'UNAUTHORIZED' | 'TOPIC_NOT_FOUND'>>()
assertType<IsEqual<BodyOf<Palette>, undefined>>()
assertType<IsEqual<QueryOf<'GET /library/study-sets'>, { readonly query?: string }>>()
assertType<IsEqual<EntryOf<'GET /library/study-sets'>['topicid'], string | undefined>>()

export async function callWithRoute(): Promise<unknown> {
  const palette = await host.api<Palette>(`/study-sets/${id}/note-palette`)
  if (palette.error) return palette.error.code.toUpperCase()
  assertType<IsEqual<typeof palette.title, string>>()
  // What the contract does not show is unknown, and so is the name of this list.
  assertType<IsEqual<typeof palette.somethingElse, unknown>>()
  const sets = await host.api<'GET /library/study-sets'>('/library/study-sets?query=neck')
  if (!sets.error) assertType<IsEqual<typeof sets.studySets, unknown>>()

  // @ts-expect-error This path belongs to another route.
  await host.api<Palette>('/library/study-sets')
  // @ts-expect-error The contract has no such route.
  await host.api<'GET /nowhere'>('/nowhere')
  // @ts-expect-error The method and the body are missing.
  await host.api<'POST /notes/{noteid}/title'>(`/notes/${id}/title`)
  // @ts-expect-error The method is wrong.
  await host.api<'POST /notes/{noteid}/title'>(`/notes/${id}/title`, { method: 'PUT', body: '' })
  // @ts-expect-error A response without an error is not proved yet.
  return (await host.api<Palette>(`/study-sets/${id}/note-palette`)).title
}

export async function callWithNullableMembers(): Promise<void> {
  const tree = await host.api<'GET /study-sets/{topicid}/tree'>(`/study-sets/${id}/tree`)
  if (!tree.error) assertType<IsEqual<typeof tree.nextCursor, string | null | undefined>>()
  const screen = await host.api<'GET /ui-state'>('/ui-state')
  if (!screen.error) assertType<IsEqual<NonNullable<typeof screen.state>['topicid'], string | null | undefined>>()
  const options = { method: 'POST', body: JSON.stringify({ noteIds: [id] }) } as const
  const cards = await host.api<'POST /notes/batch-get'>('/notes/batch-get', options)
  if (!cards.error) {
    const part = cards.items[0]?.parts?.[0]
    assertType<IsEqual<NonNullable<typeof part>['contentId'], string | undefined>>()
  }
}

/** The spec does not show that the study set of a verdict is required. */
export const verdict: BodyOf<'POST /notes/{noteid}/practice-verdict'> = { expectedRevision: 1, practice: {} }

export async function callWithPath(): Promise<void> {
  const palette = await host.api(`/study-sets/${id}/note-palette`)
  assertType<IsEqual<typeof palette, ResultOf<Palette>>>()
  const options = { method: 'POST', body: JSON.stringify({ noteIds: [id] }) } as const
  const cards = await host.api('/notes/batch-get', options)
  assertType<IsEqual<typeof cards, ResultOf<'POST /notes/batch-get'>>>()
  const computed = await host.api(id)
  assertType<IsEqual<typeof computed, unknown>>()
  assertType<IsEqual<RouteOf<'GET', '/study-sets/A/note-palette'>, Palette>>()
  assertType<IsEqual<RouteOf<'GET', '/study-sets/A/B/note-palette'>, never>>()
}

export const body: BodyOf<'POST /writing/pencil-commit'> = {
  requestId: id,
  surfaceId: id,
  target: { topicid: id, noteid: id, layerId: id },
}
export const misspelledBody: BodyOf<'POST /writing/pencil-commit'> = {
  ...body,
  // @ts-expect-error The contract has no such member.
  surface: id,
}
