/** / for whoever is not signed in */
export { LandingPage as default } from '../../features/landing/landing-page';
