import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'
import { getCard, getCardForChange, findCard, type DemoState, type RouteTable } from '../state/context.ts'
import type { DemoCard } from '../library/model.ts'
import { findConfiguredPlugin } from '../library/own-library.ts'
import { toUuid } from '../library/random.ts'
import { createParameterError, DemoError, createJsonReply } from '../state/reply.ts'

/** The module is loaded for the first picture, because lists do not need it. */
const loadMedia = () => import('../media/part-content.ts')

const MAX_BAND_HEIGHT_PT = 10_000

/** Includes the ancestors of a hashtag, which the host derives (observed §5). */
function toHashtagPath(hashtag: string): object {
  const path = hashtag.replace(/^#/, '')
  const segments = path.split('/')
  const ancestors = segments.slice(0, -1).map((_, index) => `#${segments.slice(0, index + 1).join('/')}`)
  return { hashtag, path, name: segments.at(-1), segments, depth: segments.length, ancestors }
}

/** The form of `POST /notes/batch-get` (observed-0.49). A deck card keeps the id asked for. */
function toItem(card: DemoCard, texts: ReadonlyMap<string, string>, noteid = card.noteid): object {
  const blanks = card.bands.map((band) => ({
    index: 100 + band.seq,
    text: texts.get(band.physicalNoteId) ?? '',
    excerpt: false,
    // A blank has an id of its own, which is the target of writes to it.
    noteid: band.physicalNoteId,
    kind: 'blank',
  }))
  return {
    noteid,
    topicid: card.topicid,
    title: card.title,
    texts: [...card.texts, ...blanks],
    parts: [
      { index: 0, kind: 'title', noteid: card.noteid },
      ...card.texts.map((text, index) => ({
        index: index + 1,
        kind: text.kind === 'blank' ? text.kind : 'text',
        noteid: text.noteid,
        excerpt: text.excerpt,
      })),
      ...card.parts.map((part, index) => ({
        contentId: part.contentId,
        index: card.texts.length + index + 1,
        kind: part.kind,
        noteid: part.noteid ?? card.noteid,
        excerpt: part.kind === 'excerpt_image',
        contentPath: `/notes/${card.noteid}/content/${part.contentId}`,
        mimeType: part.mimeType,
        ...(part.ocrText ? { ocrText: part.ocrText } : {}),
        ...(part.masks
          ? {
              occlusion: { coordinateSpace: 'image-fraction', masks: part.masks },
              occlusionBaseContentPath: `/notes/${card.noteid}/content/${part.contentId}?layers=base`,
            }
          : {}),
      })),
    ],
    metadata: { colorIndex: card.colorIndex, fillIndex: card.fillIndex },
    hashtags: card.hashtags,
    hashtagPaths: card.hashtags.map(toHashtagPath),
    commentsRevision: String(card.revision),
    // A card without bands has no `bands`: the spec shows it only where a band is added.
    ...(card.bands.length > 0 ? { bands: card.bands } : {}),
    practice: card.practice,
    folded: card.folded,
    docBookmd5: card.docBookmd5,
    docPage: card.docPage,
  }
}

/** The id may be that of a review card, which stands for its source card. */
function findItems(state: DemoState, id: string): object[] {
  const card = findCard(state, id)
  if (card) return [toItem(card, state.blankTexts)]
  const copy = state.library.decks.flatMap(({ cards }) => cards).find(({ cardNoteId }) => cardNoteId === id)
  const source = copy ? findCard(state, copy.sourceNoteId) : null
  return source ? [toItem(source, state.blankTexts, id)] : []
}

/**
 * Errors for bands with certain heights, so that each reason of spec §7 can be seen: 9001 no
 * selection, 9002 insertion refused, 9003 the physical save failed. The spec does not give the
 * values of these codes.
 */
const bandRefusals: Readonly<Record<number, readonly [string, string]>> = {
  9001: ['NO_SELECTION', 'No card is selected. No band was created.'],
  9002: ['INSERTION_REFUSED', 'The editor refused the insertion. No band was created.'],
  9003: ['PHYSICAL_SAVE_FAILED', 'The band could not be saved. It counts as not created.'],
}

export const noteRoutes = {
  'notes.batchGet'(state, { body }) {
    const ids = body['noteIds'] as string[]
    if (ids.length > state.noteLimit) {
      throw new DemoError(422, 'BODY_INVALID', `noteIds holds more than ${state.noteLimit} ids.`)
    }
    return createJsonReply({ items: ids.flatMap((id) => findItems(state, id)) })
  },

  async 'notes.content'(state, { params, query }) {
    const card = getCard(state, params['noteid'])
    const part = card.parts.find((entry) => entry.contentId === params['contentId'])
    if (!part) throw new DemoError(404, 'CONTENT_NOT_FOUND', 'The card has no such content.')
    const { getPartContent } = await loadMedia()
    const layer = query['layers'] === 'base' ? 'base' : 'composite'
    return {
      kind: 'bytes',
      ...getPartContent(part, layer, Number(query['maxEdge'] ?? documentedLimits.maxEdge.default)),
    }
  },

  async 'notes.render'(state, { params, query }) {
    const { renderCard } = await loadMedia()
    const format = query['format'] === 'pdf' ? 'pdf' : 'png'
    const width = Number(query['width'] ?? documentedLimits.renderWidth.default)
    return { kind: 'bytes', ...(await renderCard(getCard(state, params['noteid']), format, width)) }
  },

  'notes.blankBands'(state, { params, body }) {
    const height = Number(body['height'] ?? 240)
    const refusal = bandRefusals[height]
    if (refusal) throw new DemoError(409, ...refusal)
    if (!(height > 0 && height <= MAX_BAND_HEIGHT_PT))
      throw createParameterError('height', `must be in 1..${MAX_BAND_HEIGHT_PT}.`)
    const role = String(body['role'] ?? 'practice')
    if (!/^[\w-]{1,40}$/.test(role)) throw createParameterError('role', 'must be a word of at most 40 characters.')
    const card = getCardForChange(state, params['noteid'])
    const seq = card.bands.length
    const band = {
      noteid: card.noteid,
      closed: false,
      owner: String(body['addon'] ?? 'external'),
      blankPageNo: seq + 1,
      hasInk: false,
      seq,
      live: true,
      inkParts: 0,
      height,
      physicalNoteId: toUuid(`${card.noteid}/band/${seq}`),
      role,
      pageNo: seq + 1,
    }
    card.bands.push(band)
    card.revision += 1
    // The spec shows no `persisted` here (§2 Blank band).
    return createJsonReply({ band, bands: card.bands, noteid: card.noteid })
  },

  'notes.practiceVerdict': (state, { params, body }) => createJsonReply(recordVerdict(state, params['noteid'], body)),

  'writing.context': (state) =>
    createJsonReply({
      window: {
        topicid: state.openState.topicid,
        windowId: 'window-main',
        surfaceId: 'main',
        noteid: state.openState.noteid,
      },
      canvas: { layerId: '', hasInk: true },
      session: state.writingDesk.getSessionRecord(),
    }),
  'writing.sessionFocusBegin': (state, { body }) =>
    createJsonReply(state.writingDesk.acceptSessionCommand('focus-begin', body)),
  'writing.sessionReserve': (state, { body }) =>
    createJsonReply(state.writingDesk.acceptSessionCommand('reserve', body)),
  'writing.sessionPause': (state, { body }) => createJsonReply(state.writingDesk.acceptSessionCommand('pause', body)),
  'writing.pencilCommit'(state, { body }) {
    if (!state.writingDesk.hasCommit(String(body['requestId']))) {
      const { topicid, noteid } = body['target'] as { topicid: string; noteid: string }
      if (getCard(state, noteid).topicid !== topicid) {
        throw new DemoError(409, 'TARGET_MISMATCH', 'The card does not belong to the study set of the target.')
      }
    }
    return createJsonReply(state.writingDesk.commit(body), 202)
  },
  'writing.pencilResult': (state, { body }) => createJsonReply(state.writingDesk.getResult(String(body['requestId']))),
} satisfies RouteTable

/** A verdict's `self` becomes part of a tag, so its length is limited. */
const MAX_SELF_CHARS = 100

/**
 * Records a verdict. The errors of spec §7 are checked in this order, before anything is changed:
 * `PRACTICE_CONFIG_UNAVAILABLE` for a plugin without a configuration, `PRACTICE_TOPIC_CHANGED` if
 * `practice.topic` is not the card's study set, `PRACTICE_KEY_INVALID` for a `self` or `reason`
 * that cannot be part of a tag, and `COMMENT_CHANGED` for an outdated revision.
 * @see spec §4 practice-verdict
 */
function recordVerdict(state: DemoState, noteid: string | undefined, body: Readonly<Record<string, unknown>>): object {
  const { topicid, revision } = getCard(state, noteid)
  const configuredPlugin = findConfiguredPlugin(state.plugins)
  const addon = String(body['addon'] ?? configuredPlugin?.id ?? '')
  const { config } = state.plugins.find(({ id }) => id === addon) ?? configuredPlugin ?? {}
  if (config === undefined) {
    throw new DemoError(422, 'PRACTICE_CONFIG_UNAVAILABLE', 'The scene declares no tag prefix and error causes.')
  }
  const { topic } = (body['practice'] ?? {}) as { topic?: string }
  if (topic !== undefined && topic !== topicid) {
    throw new DemoError(409, 'PRACTICE_TOPIC_CHANGED', 'The question does not belong to the current study set.')
  }
  const self = String(body['self'] ?? '')
  const reason = config.reasons.find((entry) => entry.id === body['reason'])
  if (self === '' || self.length > MAX_SELF_CHARS || /[\s#/]/.test(self) || (body['reason'] !== undefined && !reason)) {
    throw new DemoError(422, 'PRACTICE_KEY_INVALID', 'The identity cannot be written.')
  }
  if (String(body['expectedRevision']) !== String(revision)) {
    throw new DemoError(409, 'COMMENT_CHANGED', 'The comments changed since they were read.', {
      details: { commentsRevision: String(revision) },
    })
  }
  const card = getCardForChange(state, noteid)
  const before = card.hashtags.join()
  const { tagPrefix } = config
  card.hashtags = [
    ...card.hashtags.filter((tag) => !tag.startsWith(`${tagPrefix}/`)),
    `${tagPrefix}/question`,
    `${tagPrefix}/${self}`,
    ...(reason ? [`${tagPrefix}/error/${reason.id}`] : []),
  ]
  card.revision += 1
  const practice = {
    addon,
    topic: topicid,
    card: card.noteid,
    self,
    reason: reason?.id ?? '',
    reasonLabel: reason?.label ?? '',
    at: Date.now(),
  }
  card.practice.push(practice)
  return {
    persisted: true,
    noteid: card.noteid,
    commentId: String(body['commentId'] ?? `comment-${card.practice.length}`),
    practice,
    hashtags: card.hashtags,
    tagsChanged: card.hashtags.join() !== before,
    commentsRevision: String(card.revision),
  }
}
