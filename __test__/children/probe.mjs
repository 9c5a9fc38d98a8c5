// Exits with 0 when this process can load the package.
import 'namzu-native';
