/** Which form fields name a card. */
export const cardFields: ReadonlySet<string> = new Set(['noteid', 'noteIds', 'questionId', 'target.noteid'])

/** Which form fields a card fills in. */
export function cardValues(noteid: string, topicid: string | null): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries([...cardFields].map((name) => [name, noteid])),
    ...(topicid ? { topicid, 'target.topicid': topicid, 'practice.topic': topicid } : {}),
  }
}
