import { z } from 'zod'
import { preparedWriteSchema } from '../operations/prepared-write.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/** A write of an agent that waits. */
const pendingProposalSchema = z.strictObject({
  id: z.string(),
  at: z.number(),
  /** As the agent calls itself, with what can't be seen in it shown as codes. */
  agent: z.string(),
})
export type PendingProposal = z.infer<typeof pendingProposalSchema>

/** A write that an agent proposes, exactly as it would be sent. */
const agentProposalSchema = pendingProposalSchema.extend({ prepared: preparedWriteSchema })
export type AgentProposal = z.infer<typeof agentProposalSchema>

/** Without the writes themselves, which may be large, and of which only one is shown. */
const proposalListSchema = z.strictObject({ asks: z.array(pendingProposalSchema) })

export const agentMethods = {
  /** Writes of agents that wait for a person, oldest first. */
  'agents.asks': defineQueryMethod(z.strictObject({}), proposalListSchema),
  /** One of them, as it would be sent. Throws `ASK_UNKNOWN`. */
  'agents.ask': defineQueryMethod(z.strictObject({ id: z.string().max(100) }), agentProposalSchema),
  /** Decides on one. Throws `ASK_UNKNOWN`. */
  'agents.decide': defineCommandMethod(
    z.strictObject({ id: z.string().max(100), send: z.boolean() }),
    z.strictObject({}),
  ),
}

export const agentTopics = {
  'agents.changed': defineTopic(proposalListSchema),
}
