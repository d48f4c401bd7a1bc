import { z } from 'zod'
import { preparedSchema } from '../operations/commands.ts'
import { command, query, topic } from './define.ts'

/** A write of an agent that waits. */
const waitingAskSchema = z.strictObject({
  id: z.string(),
  at: z.number(),
  /** As the agent calls itself, with what can't be seen in it shown as codes. */
  agent: z.string(),
})
export type WaitingAsk = z.infer<typeof waitingAskSchema>

/** A write that an agent proposes, exactly as it would be sent. */
const agentAskSchema = waitingAskSchema.extend({ prepared: preparedSchema })
export type AgentAsk = z.infer<typeof agentAskSchema>

/** Without the writes themselves, which may be large, and of which only one is shown. */
const asks = z.strictObject({ asks: z.array(waitingAskSchema) })

export const agentMethods = {
  /** Writes of agents that wait for a person, oldest first. */
  'agents.asks': query(z.strictObject({}), asks),
  /** One of them, as it would be sent. Throws `ASK_UNKNOWN`. */
  'agents.ask': query(z.strictObject({ id: z.string().max(100) }), agentAskSchema),
  /** Decides on one. Throws `ASK_UNKNOWN`. */
  'agents.decide': command(z.strictObject({ id: z.string().max(100), send: z.boolean() }), z.strictObject({})),
}

export const agentTopics = {
  'agents.changed': topic(asks),
}
