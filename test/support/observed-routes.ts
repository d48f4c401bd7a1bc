/**
 * The 72 routes of the bridge at version 0.49, as publicly documented: section, method, path with nameless placeholders, and marks: M =
 * needs the subscription, C = wants `confirm` in the JSON body, D = a documented dry run.
 */
const text = `1 GET /status
1 GET /capabilities
1 GET /guide
1 GET /context
1 GET /install
1 POST /install/code
1 POST /mcp
2 GET /library/study-sets
2 POST /library/study-sets MC
2 POST /library/documents/upload M
2 POST /library/documents/{}/delete MC
2 GET /library/folders
3 GET /study-sets/{}/documents
3 POST /study-sets/{}/documents MC
3 POST /study-sets/{}/documents/{}/delete MC
3 POST /study-sets/{}/open
3 GET /study-sets/{}/tree
3 GET /study-sets/{}/sub-maps
3 GET /study-sets/{}/snapshots
3 POST /study-sets/{}/snapshots M
3 POST /study-sets/{}/delete MC
3 GET /study-sets/{}/notebooks
3 GET /study-sets/{}/hashtags
3 GET /study-sets/{}/note-palette
3 POST /study-sets/{}/mindmap-print/preview
3 POST /study-sets/{}/mindmap-print/export
4 GET /documents/{}/outline
4 GET /documents/{}/pages
4 GET /documents/{}/pages/{}/parts
4 GET /documents/{}/pages/{}/content/{}
4 GET /documents/{}/toc-candidates
4 POST /documents/{}/toc MCD
4 POST /documents/{}/locate
4 POST /documents/{}/export
4 GET /documents/{}/sync-status
5 POST /notes/batch-get
5 POST /notes/hashtags MC
5 POST /notes/metadata MC
5 POST /notes/move MC
5 POST /notes/copy MCD
5 POST /notes/delete MCD
5 POST /notes/fold MC
5 GET /notes/{}/content/{}
5 GET /notes/{}/render
5 POST /notes/{}/image-occlusions MCD
5 POST /notes/{}/title MC
5 POST /notes/{}/text MC
5 POST /notes/{}/comments MC
5 POST /notes/{}/comments/{} MC
5 POST /notes/{}/comments/{}/delete MC
5 POST /notes/{}/merge-branch MC
5 POST /notes/{}/fold-into-sub-map MC
5 POST /notes/{}/focus
6 GET /decks
6 POST /decks MC
6 GET /decks/{}/cards
6 POST /decks/{}/cards MC
6 POST /decks/{}/open
7 POST /bundles/prepare
7 GET /bundles
7 GET /bundles/{}/files
7 POST /bundles/{}/submit M
7 POST /bundles/{}/focus
7 POST /bundles/{}/discard
8 POST /snapshots/{}/restore MCD
9 GET /search
10 GET /sync/legacy/status
10 GET /sync/legacy/events
10 POST /sync/legacy/recheck
10 POST /sync/legacy/inventory
11 GET /ui-state
11 POST /ui-state/apply M`

export const observedRoutes = text.split('\n').map((line) => {
  const [section = '', method = '', path = '', marks = ''] = line.split(' ')
  return { section, method, path, marks }
})
