/** Fields that hold the id of a card, as the contract says. */
export const cardFieldNames: ReadonlySet<string> = new Set(['noteid', 'noteIds', 'target.noteid'])

export function getCardFieldValues(noteid: string, topicid: string | null): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries([...cardFieldNames].map((name) => [name, noteid])),
    ...(topicid ? { topicid, 'target.topicid': topicid, 'practice.topic': topicid } : {}),
  }
}
