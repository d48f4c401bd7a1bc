/** Form fields with these names hold the id of a card. */
export const cardFieldNames: ReadonlySet<string> = new Set(['noteid', 'noteIds', 'questionId', 'target.noteid'])

/** Returns the form values that follow from a card and its study set. */
export function getCardFieldValues(noteid: string, topicid: string | null): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries([...cardFieldNames].map((name) => [name, noteid])),
    ...(topicid ? { topicid, 'target.topicid': topicid, 'practice.topic': topicid } : {}),
  }
}
