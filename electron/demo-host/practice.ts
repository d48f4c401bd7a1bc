import { cardOf, cardToChange, type DemoState } from './context.ts'
import { ADDON, ADDON_WITHOUT_CONFIG, practiceConfig } from './library/model.ts'
import { DemoError } from './reply.ts'

/** Maximum characters of a `self`, which becomes part of a tag. */
const MOST_SELF = 100

/**
 * spec §4 practice-verdict. Checks the errors of §7 in this order: `PRACTICE_CONFIG_UNAVAILABLE` for a plugin without a configuration,
 * `PRACTICE_TOPIC_CHANGED` if `practice.topic` is not the card's study set, `PRACTICE_KEY_INVALID` for a `self` or `reason` that cannot
 * be part of a tag, and `COMMENT_CHANGED` for an outdated revision. None of them changes anything.
 */
export function recordVerdict(
  state: DemoState,
  noteid: string | undefined,
  body: Readonly<Record<string, unknown>>,
): object {
  const { topicid, revision } = cardOf(state, noteid)
  const addon = String(body['addon'] ?? ADDON)
  if (addon === ADDON_WITHOUT_CONFIG) {
    throw new DemoError(422, 'PRACTICE_CONFIG_UNAVAILABLE', 'The scene declares no tag prefix and error causes.')
  }
  const { topic } = (body['practice'] ?? {}) as { topic?: string }
  if (topic !== undefined && topic !== topicid) {
    throw new DemoError(409, 'PRACTICE_TOPIC_CHANGED', 'The question does not belong to the current study set.')
  }
  const self = String(body['self'] ?? '')
  const reason = practiceConfig.reasons.find((one) => one.id === body['reason'])
  if (self === '' || self.length > MOST_SELF || /[\s#/]/.test(self) || (body['reason'] !== undefined && !reason)) {
    throw new DemoError(422, 'PRACTICE_KEY_INVALID', 'The identity cannot be written.')
  }
  if (String(body['expectedRevision']) !== String(revision)) {
    throw new DemoError(409, 'COMMENT_CHANGED', 'The comments changed since they were read.', {
      details: { commentsRevision: String(revision) },
    })
  }
  const card = cardToChange(state, noteid)
  const before = card.hashtags.join()
  const { tagPrefix } = practiceConfig
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
