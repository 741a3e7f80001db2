// Runs before anything is painted, so that a chosen theme does not flash. A file of its own, because the policy of the
// page lets no script stand in it. The theme is the only thing that is kept in the browser.
const chosen = localStorage.getItem('renown-theme');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
