/**
 * How much of a matrix is run: `sample` in `npm test`, `whole` in `npm run test:long`. A test that
 * uses this must carry the tag `long` (`@long` in a spec), or the long command does not find it.
 */
export const pickRunCount = (sample: number, full: number): number => (process.env['TEST_LONG'] ? full : sample)
