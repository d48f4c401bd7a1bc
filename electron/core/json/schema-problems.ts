import { z } from 'zod'

/** Describes each thing that is wrong with the value `root`, such as `cards[3].color: …`. */
export function listSchemaProblems({ issues }: z.ZodError, root: string): string[] {
  const describe = (path: readonly PropertyKey[], problem: string): string =>
    `${path.length === 0 ? root : z.core.toDotPath(path)}: ${problem}`
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => describe([...issue.path, key], 'there is no such member'))
      : [describe(issue.path, issue.message)],
  )
}
