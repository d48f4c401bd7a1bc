import { limits } from '../../../shared/bridge/limits.ts'
import { cardOf, findCard, type DemoState, type Routes } from '../context.ts'
import { ADDON, practiceConfig, type Card } from '../library/model.ts'
import { uuid } from '../library/random.ts'
import { partContent, renderCard } from '../media/content.ts'
import { DemoError, json } from '../reply.ts'

/** A card as `POST /notes/batch-get` gives it (observed-0.49). */
function itemOf(card: Card): object {
  const blanks = card.bands.map((band) => ({
    index: 100 + band.seq,
    text: '',
    excerpt: false,
    noteid: card.noteid,
    kind: 'blank',
  }))
  return {
    noteid: card.noteid,
    topicid: card.topicid,
    title: card.title,
    texts: [...card.texts, ...blanks],
    parts: [
      { index: 0, kind: 'title', noteid: card.noteid },
      ...card.parts.map((part, index) => ({
        contentId: part.contentId,
        index: index + 1,
        kind: part.kind,
        noteid: card.noteid,
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
    hashtagPaths: card.hashtags.map((tag) => tag.slice(1).split('/')),
    commentsRevision: String(card.revision),
    bands: card.bands,
    practice: card.practice,
    docBookmd5: card.docBookmd5,
    docPage: card.docPage,
  }
}

/**
 * Reasons for which a band is not created (spec §7), chosen by the height so that each can be seen: 9001 no selection, 9002
 * insertion refused, 9003 the physical save failed.
 */
const bandRefusals: Readonly<Record<number, readonly [string, string]>> = {
  9001: ['NO_SELECTION', 'No card is selected. No band was created.'],
  9002: ['INSERTION_REFUSED', 'The editor refused the insertion. No band was created.'],
  9003: ['PHYSICAL_SAVE_FAILED', 'The band could not be saved. It counts as not created.'],
}

export const noteRoutes: Routes = {
  'notes.batchGet'(state, { body }) {
    const ids = body['noteIds'] as string[]
    return json({ items: ids.flatMap((id) => findCard(state, id) ?? []).map(itemOf) })
  },

  'notes.content'(state, { params, query }) {
    const card = cardOf(state, params['noteid'])
    const part = card.parts.find((one) => one.contentId === params['contentId'])
    if (!part) throw new DemoError(404, 'CONTENT_NOT_FOUND', 'The card has no such content.')
    const layer = query['layers'] === 'base' ? 'base' : 'composite'
    return { kind: 'bytes', ...partContent(part, layer, Number(query['maxEdge'] ?? limits.maxEdge.default)) }
  },

  async 'notes.render'(state, { params, query }) {
    const format = query['format'] === 'pdf' ? 'pdf' : 'png'
    const width = Number(query['width'] ?? limits.renderWidth.default)
    return { kind: 'bytes', ...(await renderCard(cardOf(state, params['noteid']), format, width)) }
  },

  'notes.blankBands'(state, { params, body }) {
    const card = cardOf(state, params['noteid'])
    const height = Number(body['height'] ?? 240)
    const refusal = bandRefusals[height]
    if (refusal) throw new DemoError(409, ...refusal)
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
      physicalNoteId: uuid(`${card.noteid}/band/${seq}`),
      role: String(body['role'] ?? 'practice'),
      pageNo: seq + 1,
    }
    card.bands.push(band)
    card.revision += 1
    return json({ band, bands: card.bands, noteid: card.noteid, persisted: true })
  },

  'notes.practiceVerdict': (state, { params, body }) =>
    json(recordVerdict(state, cardOf(state, params['noteid']), body)),

  'writing.context': (state) =>
    json({
      window: { topicid: state.open.topicid, windowId: 'window-main', surfaceId: 'main', noteid: state.open.noteid },
      canvas: { layerId: '', hasInk: true },
    }),
  'writing.sessionFocusBegin': (state, { body }) => json(state.desk.session('focus-begin', body)),
  'writing.sessionReserve': (state, { body }) => json(state.desk.session('reserve', body)),
  'writing.sessionPause': (state, { body }) => json(state.desk.session('pause', body)),
  'writing.pencilCommit': (state, { body }) => json(state.desk.commit(body), 202),
  'writing.pencilResult': (state, { body }) => json(state.desk.result(String(body['requestId']))),
}

/** spec §4 practice-verdict with the three errors of §7. */
function recordVerdict(state: DemoState, card: Card, body: Readonly<Record<string, unknown>>): object {
  const practice = body['practice'] as { topic?: string } | undefined
  if (!state.practiceConfigured) {
    throw new DemoError(422, 'PRACTICE_CONFIG_UNAVAILABLE', 'The scene declares no tag prefix and error causes.')
  }
  if (practice?.topic !== undefined && practice.topic !== card.topicid) {
    throw new DemoError(409, 'PRACTICE_TOPIC_CHANGED', 'The question does not belong to the current study set.')
  }
  const self = String(body['self'] ?? '')
  const reason = practiceConfig.reasons.find((one) => one.id === body['reason'])
  if (self === '' || /[\s#/]/.test(self) || (body['reason'] !== undefined && !reason)) {
    throw new DemoError(422, 'PRACTICE_KEY_INVALID', 'The identity cannot be written.')
  }
  if (String(body['expectedRevision']) !== String(card.revision)) {
    throw new DemoError(409, 'COMMENT_CHANGED', 'The comments changed since they were read.', {
      details: { commentsRevision: String(card.revision) },
    })
  }
  const before = card.hashtags.join()
  const { tagPrefix } = practiceConfig
  const kept = card.hashtags.filter((tag) => !tag.startsWith(`${tagPrefix}/`))
  card.hashtags = [
    ...kept,
    `${tagPrefix}/question`,
    `${tagPrefix}/${self}`,
    ...(reason ? [`${tagPrefix}/error/${reason.id}`] : []),
  ]
  card.revision += 1
  const verdict = {
    addon: String(body['addon'] ?? ADDON),
    topic: card.topicid,
    card: card.noteid,
    self,
    reason: reason?.id ?? '',
    reasonLabel: reason?.label ?? '',
    at: Date.now(),
  }
  card.practice.push(verdict)
  return {
    persisted: true,
    noteid: card.noteid,
    commentId: String(body['commentId'] ?? `comment-${card.practice.length}`),
    practice: verdict,
    hashtags: card.hashtags,
    tagsChanged: card.hashtags.join() !== before,
    commentsRevision: String(card.revision),
  }
}
