/** Between the steps of a path; names with this character are the only ones that cannot be told apart. */
const STEP = '\0'

/** A path to a list inside an answer, as one text: a single step is the name of a member. */
export const listPath = (...steps: readonly string[]): string => steps.join(STEP)

/** The steps of such a path; none for an answer that is the list itself. */
export const listSteps = (path: string | null): readonly string[] => (path === null ? [] : path.split(STEP))
